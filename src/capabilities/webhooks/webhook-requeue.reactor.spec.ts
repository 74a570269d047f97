import { newDelivery, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedReadModel } from '../../platform/read-model/embedded/open';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type Projector } from '../../platform/projecting/projector';
import { type Reactor } from '../../platform/reacting/reactor';
import { type Reactors } from '../../platform/reacting/reactors';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { WebhookRequeueReactor } from './webhook-requeue.reactor';

const event = {
  ...{ type: 'WebhookEndpointRecoveryRequested', stream: 'webhook_endpoint-whe_1', position: 1n, version: 3 },
  data: {
    merchant_id: 'mer_1',
    endpoint_id: 'whe_1',
    since: '2030-01-01T00:00:00.000Z',
    recovery_id: 'req_1',
    requested_at: '2030-01-02T00:00:00.000Z',
  },
  metadata: { request_id: 'req_1', event_id: 'evt_1', actor: { kind: 'test', id: 't' } },
} as unknown as RecordedEvent;

const failed = (id: string, subject_id: string, sequence: number) => ({ id, subject_id, sequence, opened: true });

function reactorOn(
  model: ReadModel,
  run: (decider: unknown, id: string) => Promise<void>,
  folded: object = { state: null, position: 0n },
): Reactor | undefined {
  let reactor: Reactor | undefined;
  new WebhookRequeueReactor(
    { add: (added: Reactor) => void (reactor = added) } as unknown as Reactors,
    { run, fold: async () => folded } as unknown as CommandRunner,
    { progress: { passed: async () => undefined } } as unknown as Projector,
    model,
    { now: () => new Date(0) },
  ).onModuleInit();
  return reactor;
}

describe('sending again what was not delivered', () => {
  it('begins with what came first in each payment request, and does not wait for others', async () => {
    const documents = [failed('whd_b1', 'b', 1), failed('whd_a2', 'a', 2), failed('whd_a1', 'a', 1)];
    const find = async (_collection: unknown, _index: unknown, [, , status]: readonly string[]) => ({
      documents: status === 'failed' ? documents : [],
      next: null,
    });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (_decider: unknown, id: string) =>
      new Promise<void>((done) => {
        begun.push(id);
        ends.set(id, done);
      });
    const done = reactorOn({ find } as unknown as ReadModel, run)?.react(event);
    const turn = () => new Promise(setImmediate);
    await turn();
    expect(begun.sort()).toEqual(['whd_a1', 'whd_b1']);
    ends.get('whd_a1')?.();
    await turn();
    expect(begun).toContain('whd_a2');
    ends.get('whd_a2')?.();
    ends.get('whd_b1')?.();
    await done;
  });
  const newDirectory = temporaryDirectories();
  it('takes each once and in order, even if a page ends among deliveries of the same time', async () => {
    const model = await openEmbeddedReadModel(newDirectory());
    await model.prepare([webhookDeliveries]);
    const facts = { endpoint_id: 'whe_1', merchant_id: 'mer_1', event_id: 'evt_1', event_type: 't', cursor: null };
    const at = '2030-01-01T00:00:00.000Z';
    const subjects = Array.from({ length: 150 }, (_, index) => String(index).padStart(3, '0'));
    // A page holds 200: of most subjects the later delivery is on the first page and the earlier one on the second.
    const documents = subjects.flatMap((subject_id) =>
      [1, 2].map((sequence) => ({
        ...newDelivery(`whd_${3 - sequence}_${subject_id}`, { ...facts, subject_id, sequence } as never, at),
        opened: true,
        status: 'failed' as const,
      })),
    );
    await model.apply(
      documents.map((document) => ({ collection: webhookDeliveries, document, position: 1n })),
      1n,
    );
    const taken: string[] = [];
    await reactorOn(model, async (_decider, id) => void taken.push(id))?.react(event);
    await model.close();
    expect([...taken].sort()).toEqual(documents.map(({ id }) => id).sort());
    const tooEarly = subjects.filter((id) => taken.indexOf(`whd_1_${id}`) < taken.indexOf(`whd_2_${id}`));
    expect(tooEarly).toEqual([]);
  });

  it('takes also what waits for a later attempt, and nothing that has not been tried', async () => {
    const documents = [failed('whd_a1', 'a', 1), { ...failed('whd_b1', 'b', 1), opened: false }];
    const find = async (_collection: unknown, _index: unknown, [, , status]: readonly string[]) => ({
      documents: status === 'pending' ? documents : [],
      next: null,
    });
    const taken: string[] = [];
    const run = async (_decider: unknown, id: string) => void taken.push(id);
    await reactorOn({ find } as unknown as ReadModel, run)?.react(event);
    expect(taken).toEqual(['whd_a1']);
  });

  it.each([
    ['takes one whose last attempt was on its way when it was asked for', '2030-01-01T23:59:59.000Z', ['whd_a1']],
    ['leaves out one that was sent after it was asked for', '2030-01-02T00:00:01.000Z', []],
  ])('%s, and failed since', async (_, lastSentAt, expected) => {
    const find = async (_collection: unknown, _index: unknown, [, , status]: readonly string[]) => ({
      documents: status === 'failed' ? [failed('whd_a1', 'a', 1)] : [],
      next: null,
    });
    const taken: string[] = [];
    const folded = { state: { status: 'failed', lastSentAt }, position: 2n };
    const run = async (_decider: unknown, id: string) => void taken.push(id);
    await reactorOn({ find } as unknown as ReadModel, run, folded)?.react(event);
    expect(taken).toEqual(expected);
  });
});
