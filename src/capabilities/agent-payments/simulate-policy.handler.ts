import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  judgementChunks,
  type JudgementEntry,
  policyJudgements,
} from '../../../projections/policy-judgements.projection';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type Difference, SimulatePolicy, type Simulation } from '../payments/simulate-policy.query';
import { InOrder, PolicyReplay } from './policy-replay';
import { type PolicyId } from '../../kernel/aggregates';

/** Chunks read before yielding to other work. */
const CHUNKS_PER_TURN = 8;

/** Replays everything a policy decided; writes nothing. */
@QueryHandler(SimulatePolicy)
export class SimulatePolicyHandler implements IQueryHandler<SimulatePolicy> {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  async execute({ policyId, terms, period: { from, to } }: SimulatePolicy): Promise<Simulation> {
    const replay = new PolicyReplay(terms);
    const differences: Difference[] = [];
    let [intents, permitted] = [0, 0];
    for await (const entries of this.entriesOf(policyId)) {
      for (const entry of entries) {
        const replayed = replay.next(entry);
        if (replayed === undefined) continue;
        const { at } = replayed;
        if ((from !== undefined && at < from) || (to !== undefined && at > to)) continue;
        intents += 1;
        if (replayed.permitted) permitted += 1;
        if (replayed.permitted !== replayed.was_permitted) {
          const { at: _at, ...difference } = replayed;
          differences.push(difference);
        }
      }
    }
    return { intents, permitted, refused: intents - permitted, differences };
  }

  /** Reads the head with the newest entries first: entries chunked meanwhile are neither missed nor read twice. */
  private async *entriesOf(policyId: PolicyId): AsyncGenerator<readonly JudgementEntry[]> {
    const head = await this.readModel.get(policyJudgements, policyId);
    if (head === undefined) return;
    const order = new InOrder();
    let left = head.chunks;
    for (let after: PageCursor | null | undefined; after !== null && left > 0;) {
      const page = await this.readModel.find(judgementChunks, 'by_policy', [policyId], {
        limit: Math.min(CHUNKS_PER_TURN, left),
        after,
      });
      for (const { entries } of page.documents) yield order.add(entries);
      left -= page.documents.length;
      after = page.next;
      await nextTurn();
    }
    yield order.add(head.tail);
    yield order.rest();
  }
}
