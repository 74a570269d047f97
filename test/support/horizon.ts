import { type IncomingMessage, type ServerResponse } from 'node:http';
import { startHttpPeer } from './loopback-peers';
import { type LedgerTransaction as SignedTransaction } from './stellar-ledger';

export type Operation = Readonly<Record<string, unknown>>;

/** A transaction as the network knows it; omitted fields default to those of an ordinary payment. */
export type LedgerTransaction = Readonly<{
  successful?: boolean;
  ledger?: number;
  /** When the ledger closed; now, unless said otherwise. */
  closedAt?: string;
  memo?: Readonly<Record<string, unknown>>;
  /** The hash of the fee bump around it. */
  outerHash?: string;
  operations: readonly Operation[];
}>;

type Answering = (request: IncomingMessage, response: ServerResponse, hash: string) => void;

export type Horizon = Readonly<{
  url: string;
  /** The requested paths, in order. */
  asked: readonly string[];
  /** Puts a transaction into a ledger. */
  close(hash: string, transaction: LedgerTransaction): void;
  /** Puts a real transaction into a ledger; its answer can be changed. */
  put(transaction: SignedTransaction, changes?: Readonly<Record<string, unknown>>): void;
  /** Answers requests for this hash differently until changed again. */
  misbehave(hash: string, answering: Answering | undefined): void;
  /** Seconds to wait, for a request that comes too soon: it is answered 429. */
  throttle(waitSeconds: () => number | undefined): void;
  stop(): Promise<void>;
}>;

export const paymentTo = (to: string, amount: string, more: Operation = {}): Operation => ({
  type: 'payment',
  from: 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI',
  to,
  asset_type: 'native',
  amount,
  ...more,
});

/** The part of a network server that the service uses: transactions by hash and their operations, under a path. */
export async function startHorizon({ under = '' } = {}): Promise<Horizon> {
  const ledgers = new Map<string, readonly [hash: string, transaction: LedgerTransaction]>();
  const signed = new Map<string, (hash: string) => Readonly<{ transaction: object; operations: object }>>();
  const moods = new Map<string, Answering>();
  const asked: string[] = [];
  let tooSoon: () => number | undefined = () => undefined;
  const send = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(body));

  const peer = await startHttpPeer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const wait = tooSoon();
    if (wait !== undefined) return void response.writeHead(429, { 'retry-after': String(wait) }).end('{}');
    const path = url.startsWith(under) ? url.slice(under.length) : '';
    const [, hash = '', list] = /^\/transactions\/([^/?]+)(?:\/(operations))?/.exec(path) ?? [];
    const mood = moods.get(hash);
    if (mood) return mood(request, response, hash);
    const real = signed.get(hash)?.(hash);
    if (real) return send(response, 200, list ? real.operations : real.transaction);
    const found = ledgers.get(hash);
    if (found === undefined) return send(response, 404, { title: 'Resource Missing', status: 404 });
    // The hash that was asked for is repeated as `hash`, also that of a fee bump.
    return send(response, 200, list ? operationsOf(...found) : { ...transactionOf(...found), id: hash, hash });
  });
  return {
    url: `http://127.0.0.1:${peer.port}`,
    asked,
    close: (hash, transaction) => {
      const closed = { closedAt: wholeSecond(), ...transaction };
      ledgers.set(hash, [hash, closed]);
      if (closed.outerHash) ledgers.set(closed.outerHash, [hash, closed]);
    },
    put: (transaction, changes = {}) => {
      for (const one of [transaction.ledgerHash, transaction.innerHash])
        if (one !== null)
          signed.set(one, (hash) => {
            const answer = transaction.horizon(hash);
            return { ...answer, transaction: { ...answer.transaction, ...changes } };
          });
    },
    misbehave: (hash, answering) => void (answering ? moods.set(hash, answering) : moods.delete(hash)),
    throttle: (waitSeconds) => void (tooSoon = waitSeconds),
    stop: () => peer.close(),
  };
}

const wholeSecond = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

export const transactionOf = (
  hash: string,
  { successful = true, ledger = 1234, closedAt = wholeSecond(), memo, outerHash }: LedgerTransaction,
) => ({
  id: hash,
  hash,
  successful,
  ledger,
  created_at: closedAt,
  memo_type: 'none',
  ...memo,
  ...(outerHash ? { fee_bump_transaction: { hash: outerHash }, inner_transaction: { hash } } : {}),
});

export const operationsOf = (hash: string, { operations }: LedgerTransaction) => ({
  _embedded: { records: operations.map((operation) => ({ transaction_hash: hash, ...operation })) },
});
