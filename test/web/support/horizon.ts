import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Keypair, Networks, Transaction, TransactionBuilder } from '@stellar/stellar-base';

/** What happens to the next transaction; without one it is validated and accepted. */
export type Mishap =
  | 'tx_bad_seq'
  | 'tx_insufficient_fee'
  | 'timeout'
  | 'timeout_and_lost'
  | 'lost_answer'
  | 'lost_request'
  | 'away'
  | 'op_underfunded';

export type Received = Readonly<{ hash: string; xdr: string; transaction: Transaction }>;

export type Horizon = Readonly<{
  url: string;
  /** Every submitted transaction, including repeated ones. */
  received: readonly Received[];
  /** The transactions in a ledger. */
  applied: ReadonlyMap<string, number>;
  fund(address: string, balance?: string): void;
  sequence(address: string): bigint;
  /** Sets a mishap for each of the next transactions. */
  next(...mishaps: readonly Mishap[]): void;
  /** Answers nothing until it is switched back on. */
  down(isDown: boolean): void;
  close(): Promise<void>;
}>;

/**
 * Answers like Horizon on the test network, and validates transactions with the real library: form, signature,
 * sequence and time bounds. Tests can request a mishap.
 */
export async function startHorizon({ now = Date.now }: { now?: () => number } = {}): Promise<Horizon> {
  const accounts = new Map<string, { sequence: bigint; balance: string }>();
  const received: Received[] = [];
  const applied = new Map<string, number>();
  const mishaps: Mishap[] = [];
  let ledger = 1000;
  let isDown = false;

  const apply = ({ hash, transaction }: Received): void => {
    ledger += 1;
    applied.set(hash, ledger);
    const account = accounts.get(transaction.source);
    if (account) account.sequence = BigInt(transaction.sequence);
  };

  const judge = ({ transaction }: Received): string | undefined => {
    const account = accounts.get(transaction.source);
    if (!account) return 'tx_no_source_account';
    const maxTime = Number(transaction.timeBounds?.maxTime ?? 0);
    if (maxTime !== 0 && maxTime < now() / 1000) return 'tx_too_late';
    if (BigInt(transaction.sequence) !== account.sequence + 1n) return 'tx_bad_seq';
    const [signature] = transaction.signatures;
    const isSigned =
      signature && Keypair.fromPublicKey(transaction.source).verify(transaction.hash(), signature.signature());
    return isSigned ? undefined : 'tx_bad_auth';
  };

  const submit = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const xdr = new URLSearchParams(await textOf(request)).get('tx') ?? '';
    const mishap = mishaps.shift();
    if (mishap === 'lost_request') return void request.socket.destroy();
    const transaction = TransactionBuilder.fromXDR(xdr, Networks.TESTNET);
    if (!(transaction instanceof Transaction)) throw new Error('a fee bump was handed over');
    const one = { hash: transaction.hash().toString('hex'), xdr, transaction };
    received.push(one);
    if (mishap === 'away') return answer(response, 503, { status: 503, title: 'Service Unavailable' });
    if (mishap === 'timeout_and_lost') return answer(response, 504, { status: 504, title: 'Timeout' });
    const refusal = mishap === 'tx_bad_seq' || mishap === 'tx_insufficient_fee' ? mishap : undefined;
    const known = applied.has(one.hash);
    const code = refusal ?? (known ? undefined : judge(one));
    if (code) return refuse(response, code, one.hash);
    if (mishap === 'op_underfunded') return refuse(response, 'tx_failed', one.hash, ['op_underfunded']);
    if (!known) apply(one);
    if (mishap === 'lost_answer') return void request.socket.destroy();
    if (mishap === 'timeout') return answer(response, 504, { status: 504, title: 'Timeout' });
    answer(response, 200, { hash: one.hash, ledger: applied.get(one.hash), successful: true });
  };

  const read = (path: string, response: ServerResponse): void => {
    const [, kind, name = ''] = path.split('/');
    const account = kind === 'accounts' ? accounts.get(name) : undefined;
    if (account) {
      const balances = [{ balance: account.balance, asset_type: 'native' }];
      return answer(response, 200, { id: name, sequence: account.sequence.toString(), balances });
    }
    if (kind === 'transactions' && applied.has(name)) {
      return answer(response, 200, { hash: name, ledger: applied.get(name), successful: true });
    }
    if (kind === 'ledgers') {
      const records = [{ sequence: ledger, closed_at: new Date(now()).toISOString() }];
      return answer(response, 200, { _embedded: { records } });
    }
    answer(response, 404, { status: 404, title: 'Resource Missing' });
  };

  const server = createServer((request, response) => {
    if (isDown) return void request.socket.destroy();
    if (request.method !== 'POST') return read(new URL(request.url ?? '/', 'http://horizon').pathname, response);
    submit(request, response).catch((error: unknown) => answer(response, 500, { title: String(error) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    applied,
    fund: (address, balance = '10000.0000000') => void accounts.set(address, { sequence: 4_294_967_296n, balance }),
    sequence: (address) => accounts.get(address)?.sequence ?? 0n,
    next: (...more) => void mishaps.push(...more),
    down: (value) => {
      isDown = value;
      if (value) server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function refuse(response: ServerResponse, transaction: string, hash: string, operations?: readonly string[]): void {
  const extras = { result_codes: { transaction, ...(operations ? { operations } : {}) }, hash };
  answer(response, 400, { status: 400, title: 'Transaction Failed', extras });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
