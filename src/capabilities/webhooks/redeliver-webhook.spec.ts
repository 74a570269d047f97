import { deliveryIdOf } from '../../../projections/merchant-feed.projection';
import { newDelivery, type WebhookDeliveryDocument } from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { RedeliverWebhook, RedeliverWebhookHandler } from './redeliver-webhook';
import { type WebhookDeliveryCommand } from './webhook-delivery';

const context: CommandContext = { requestId: 'req_1', actor: { kind: 'merchant_session', id: 'ses_1' } };
const idOf = (sequence: number) => deliveryIdOf('whe_1', `evt_${sequence}`);

/** The messages about one payment request, in order; what is not said of one is as for a delivered one. */
async function redelivering(sequence: number, deliveries: readonly Partial<WebhookDeliveryDocument>[]) {
  const documents = deliveries.map((changes, index) => {
    const number = index + 1;
    const event = { event_id: `evt_${number}`, event_type: 'payment_request.signed', subject_id: 'pr_1' };
    const own = { endpoint_id: 'whe_1', merchant_id: 'mer_1', sequence: number, cursor: 10 + number } as const;
    const fresh = newDelivery(idOf(number), { ...own, ...event }, '2030-01-01T00:00:00.000Z');
    return { ...fresh, status: 'succeeded', attempt_count: 1, ...changes } as const;
  });
  const events = documents.map(({ event_id }) => ({ type: 'PaymentRequestSigned', metadata: { event_id } }));
  const found = (id: string) => documents.find((one) => one.id === id);
  const commands: [sequence: number | undefined, command: WebhookDeliveryCommand][] = [];
  const handler = new RedeliverWebhookHandler(
    {
      fold: async () => ({ state: { status: 'active' } }),
      run: async (_: unknown, id: string, command: WebhookDeliveryCommand) =>
        commands.push([found(id)?.sequence, command]),
    } as unknown as CommandRunner,
    {
      readStream: async (_: string, from: number, max: number) => events.slice(from, from + max),
    } as unknown as EventStore,
    {
      get: async (_: unknown, id: string) => found(id),
      load: async (refs: readonly { id: string }[]) => refs.map(({ id }) => ({ document: found(id) })),
    } as unknown as ReadModelStore,
    { now: () => new Date(0) },
  );
  const waitsFor = await handler.execute(new RedeliverWebhook(idOf(sequence), 'mer_1', context));
  return { waitsFor, commands, done: commands.map(([number, { kind }]) => [number, kind]) };
}

describe('sending one message again', () => {
  it('sends no other, where the ones before it were delivered or given up', async () => {
    const { waitsFor, done, commands } = await redelivering(3, [{}, { status: 'failed', opened: true }, {}, {}]);
    expect([waitsFor, done]).toEqual([null, [[3, 'redeliver']]]);
    // Its attempts go on counting, although it had no stream so far.
    expect(commands[0]?.[1]).toMatchObject({ unopened: { attempts: 1, facts: { sequence: 3, cursor: 13 } } });
  });

  it('waits for the first before it that is still to be delivered, which is sent at once', async () => {
    const waiting = { status: 'pending', opened: true } as const;
    const { waitsFor, done } = await redelivering(3, [{}, waiting, waiting]);
    expect([waitsFor, done]).toEqual([
      idOf(2),
      [
        [2, 'redeliver'],
        [3, 'redeliver'],
      ],
    ]);
  });

  it('comes after those that have not been tried yet', async () => {
    const untried = { status: 'pending', attempt_count: 0 } as const;
    const { waitsFor, done } = await redelivering(3, [untried, untried, untried]);
    expect([waitsFor, done]).toEqual([
      idOf(1),
      [
        [1, 'open-waiting'],
        [2, 'open-waiting'],
        [1, 'redeliver'],
        [3, 'redeliver'],
      ],
    ]);
  });
});
