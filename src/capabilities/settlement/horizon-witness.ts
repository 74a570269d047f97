import { type EgressPolicy } from '../../platform/egress/destination';
import { EgressError } from '../../platform/egress/egress-error';
import { createEgressPool } from '../../platform/egress/egress-pool';
import { guardedRequest } from '../../platform/egress/guarded-http';
import { type Resolver } from '../../platform/egress/resolver';
import { readTransaction, readTransfers, UnreadableAnswer } from './horizon-answers';
import { type SettlementWitness, type Sighting } from './witness.port';

export type HorizonParts = Readonly<{ url: string; resolver: Resolver; policy: EgressPolicy; timeoutMs: number }>;

/** A transaction has at most a hundred operations of about a kilobyte each. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

type Found = Readonly<{ status: 404 } | { status: 200; body: unknown }>;

/** Queries one Horizon server: the transaction by its hash, then its operations. Any doubtful response is `unclear`. */
export class HorizonWitness implements SettlementWitness {
  readonly name: string;
  private readonly pool = createEgressPool();

  constructor(private readonly parts: HorizonParts) {
    this.name = new URL(parts.url).host;
  }

  async look(hash: string, signal: AbortSignal): Promise<Sighting> {
    // No transaction has such a hash, and it must not become part of a URL. Upper case is refused, too: a merchant that
    // compares hashes in order to ship once per transaction would see two.
    if (!HASH.test(hash)) return { kind: 'not_found' };
    try {
      const transaction = await this.get(`/transactions/${hash}`, signal);
      if (transaction.status === 404) return { kind: 'not_found' };
      const known = readTransaction(transaction.body, hash);
      const operations = await this.operations(hash, signal);
      const transfers = readTransfers(operations.body, known);
      return { kind: 'found', transaction: { ...known, transfers } };
    } catch (error) {
      if (error instanceof UnreadableAnswer) return { kind: 'unclear', reason: error.message };
      if (error instanceof EgressError) return { kind: 'unclear', reason: error.kind };
      throw error;
    }
  }

  private async operations(hash: string, signal: AbortSignal): Promise<Found & Readonly<{ status: 200 }>> {
    // Some servers keep only the list of payments.
    for (const list of ['operations', 'payments']) {
      const answer = await this.get(`/transactions/${hash}/${list}?limit=200`, signal);
      if (answer.status === 200) return answer;
    }
    throw new UnreadableAnswer('it does not list the operations');
  }

  private async get(path: string, signal: AbortSignal): Promise<Found> {
    const { url, ...parts } = this.parts;
    const { status, body, truncated } = await guardedRequest({
      ...parts,
      url: `${url}${path}`,
      method: 'GET',
      headers: { accept: 'application/hal+json, application/json', 'user-agent': 'svc-settlement-witness' },
      maxResponseBytes: MAX_RESPONSE_BYTES,
      reuse: { pool: this.pool, endpointKey: url },
      signal,
    });
    if (status === 404) return { status };
    if (status !== 200) throw new UnreadableAnswer(`HTTP ${status}`);
    if (truncated) throw new UnreadableAnswer('it is too long');
    return { status, body: parsed(body) };
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new UnreadableAnswer('it is not JSON');
  }
}
