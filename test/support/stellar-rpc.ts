import { type IncomingMessage, type ServerResponse } from 'node:http';
import { startHttpPeer } from './loopback-peers';
import { type LedgerTransaction } from './stellar-ledger';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export type StellarRpc = Readonly<{
  url: string;
  /** What was asked, in order: the path with its query, and the parameters. */
  asked: readonly Readonly<{ path: string; method: string; hash: string }>[];
  /** Puts a transaction into a ledger; its answer can be changed. */
  close(transaction: LedgerTransaction, changes?: Record<string, unknown>): void;
  /** Answers requests for this hash differently until changed again. */
  misbehave(hash: string, answering: Answering | undefined): void;
  stop(): Promise<void>;
}>;

/** The part of a Stellar RPC server that the service uses: one transaction by its hash. */
export async function startStellarRpc(): Promise<StellarRpc> {
  const known = new Map<string, () => object>();
  const moods = new Map<string, Answering>();
  const asked: { path: string; method: string; hash: string }[] = [];
  const unknown = { status: 'NOT_FOUND', latestLedger: 9, latestLedgerCloseTime: '9', oldestLedger: 1 };

  const peer = await startHttpPeer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, any>;
      asked.push({ path: request.url ?? '', method, hash: params.hash });
      const mood = moods.get(params.hash);
      if (mood) return mood(request, response);
      const result = known.get(params.hash)?.() ?? { ...unknown, txHash: params.hash };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  return {
    url: `http://127.0.0.1:${peer.port}`,
    asked,
    close: (transaction, changes = {}) => {
      for (const hash of [transaction.ledgerHash, transaction.innerHash])
        if (hash !== null) known.set(hash, () => ({ ...transaction.rpc(hash), ...changes }));
    },
    misbehave: (hash, answering) => void (answering ? moods.set(hash, answering) : moods.delete(hash)),
    stop: () => peer.close(),
  };
}
