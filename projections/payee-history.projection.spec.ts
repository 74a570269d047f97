import {
  broadcasted,
  confirmed,
  created,
  creation,
  facts,
  rejected,
  signed,
} from '../src/capabilities/payment-requests/payment-request.fixtures';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { planWrites } from '../src/platform/read-model/plan-writes';
import { someMetadata } from '../test/support/events';
import { assetKey, lookOf, type PayeeHistoryDocument, payeeHistoryProjection } from './payee-history.projection';
import { paymentRequestsProjection } from './payment-requests.projection';

/** One request after another, each of these events and with an amount of its own. */
async function historyAfter(
  amounts: readonly string[],
  events: readonly PaymentRequestEvent[] = [created, signed, broadcasted, confirmed],
): Promise<PayeeHistoryDocument | undefined> {
  const recorded = amounts.flatMap((amount, index) =>
    events.map((event, at): RecordedEvent => {
      const data = { ...event.data, request_id: `r${index}`, ...(at === 0 ? { amount } : {}) };
      const position = BigInt(index * 10 + at + 1);
      return { ...event, data, metadata: someMetadata(), stream: 's', version: at + 1, position };
    }),
  );
  const none = (refs: readonly unknown[]) => Promise.resolve(refs.map(() => undefined));
  const writes = await planWrites([paymentRequestsProjection, payeeHistoryProjection], recorded, none);
  return writes.find(({ collection }) => collection.name === 'payee_histories')?.document as PayeeHistoryDocument;
}

describe('what a device has paid to a recipient', () => {
  it('is nothing until a payment is confirmed', async () => {
    expect(await historyAfter(['1'], [created, signed, broadcasted])).toBeUndefined();
    expect(await historyAfter(['1'], [created, rejected])).toBeUndefined();
  });

  it('counts what was confirmed, and keeps the last facts and the last ten amounts', async () => {
    const amounts = Array.from({ length: 12 }, (_, index) => String(index + 1));
    expect(await historyAfter(amounts)).toEqual({
      id: `${creation.device_id}:${creation.recipient_id}`,
      device_id: creation.device_id,
      recipient_id: creation.recipient_id,
      name: lookOf(creation.payee.name),
      confirmed: 12,
      last_confirmed_at: expect.any(String),
      last_facts: facts,
      amounts: [{ asset: assetKey(facts), last: amounts.slice(-10) }],
    });
  });
});

describe('the look of a payee’s name', () => {
  it('is that of its letters and digits, in any case, spacing and script', () => {
    const looks = [
      'Aurora Roastery',
      'AURORA  ROASTERY',
      'Aurora-Roastery!',
      'Аurоra Roastery',
      'Aur\u200bora Roastery',
    ];
    expect(new Set(looks.map(lookOf))).toEqual(new Set(['auroraroastery']));
    expect(lookOf('Aurora Roastery 2')).toBe('auroraroastery2');
    expect(lookOf('漢字')).toBe('漢字');
    expect(lookOf('☕')).not.toBe(lookOf('★'));
  });
});
