import { type Decider, SHORT_LIVED_KEPT } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type PaymentIntentEvent, type PaymentIntentTaken } from '../../events/payment-intent.events';
import { type ConnectionId, type MerchantId } from '../../kernel/aggregates';

export type Holder = Readonly<{ requestId: string; takenAt: string }>;

export type PaymentIntentCommand = Readonly<
  /** `over`: the holder that was checked and found to be no duplicate; any other holder blocks this. */
  | { kind: 'take'; taken: PaymentIntentTaken['data']; over: string | null }
  | { kind: 'release'; requestId: string; connectionId: ConnectionId; merchantId: MerchantId; at: string }
>;

export type PaymentIntentState = Readonly<{ holder: Holder | null }>;

/**
 * One recipient and amount of one connection. Payments that must not be duplicated pass through here one after another:
 * the expected version makes each of them see the one before (docs/adr/0016).
 */
export const paymentIntent: Decider<PaymentIntentState, PaymentIntentCommand, PaymentIntentEvent> = {
  category: 'payment_intent',
  initial: { holder: null },
  kept: SHORT_LIVED_KEPT,

  decide(command, { holder }) {
    if (command.kind === 'release') {
      if (holder?.requestId !== command.requestId) return [];
      const { requestId: request_id, connectionId: connection_id, merchantId: merchant_id, at } = command;
      return [{ type: 'PaymentIntentReleased', data: { connection_id, merchant_id, request_id, released_at: at } }];
    }
    if (holder?.requestId === command.taken.request_id) return [];
    if (holder !== null && holder.requestId !== command.over) throw refuse('possible_duplicate');
    return [{ type: 'PaymentIntentTaken', data: command.taken }];
  },

  evolve(_state, event) {
    if (event.type === 'PaymentIntentReleased') return { holder: null };
    return { holder: { requestId: event.data.request_id, takenAt: event.data.taken_at } };
  },
};
