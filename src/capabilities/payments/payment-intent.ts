import { type Decider, SHORT_LIVED_KEPT } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type PaymentIntentEvent, type PaymentIntentTaken } from '../../events/payment-intent.events';
import { type ConnectionId, type MerchantId } from '../../kernel/aggregates';

type Call = Readonly<{ id: string; takenAt: string }>;
/** `calls`: those that took it for this request and have not released it, in order; there is at least one. */
export type Holder = Readonly<{ requestId: string; chosenId?: string | undefined; calls: readonly Call[] }>;

export type PaymentIntentCommand = Readonly<
  /**
   * `over`: the holder that was checked and found to be no duplicate; any other holder blocks this, and so does the
   * same one if another call has come for it since.
   */
  | { kind: 'take'; taken: PaymentIntentTaken['data'] & Readonly<{ call_id: string }>; over: Holder | null }
  | {
      kind: 'release';
      requestId: string;
      callId: string;
      connectionId: ConnectionId;
      merchantId: MerchantId;
      at: string;
    }
>;

export type PaymentIntentState = Readonly<{ holder: Holder | null }>;

/**
 * One recipient and amount for one device, whichever of its connections asks. Payments that must not be duplicated pass through here one after another:
 * the expected version makes each of them see the one before (docs/adr/0016).
 */
export const paymentIntent: Decider<PaymentIntentState, PaymentIntentCommand, PaymentIntentEvent> = {
  category: 'payment_intent',
  initial: { holder: null },
  kept: SHORT_LIVED_KEPT,

  decide(command, { holder }) {
    if (command.kind === 'release') {
      const { requestId: request_id, callId: call_id, connectionId: connection_id, merchantId: merchant_id } = command;
      if (holder?.requestId !== request_id || !holds(holder, call_id)) return [];
      const data = { connection_id, merchant_id, request_id, call_id, released_at: command.at };
      return [{ type: 'PaymentIntentReleased', data }];
    }
    const { taken, over } = command;
    const isOwn = holder?.requestId === taken.request_id;
    if (isOwn && holds(holder, taken.call_id)) return [];
    if (!isOwn && holder !== null && !isSame(holder, over)) throw refuse('possible_duplicate');
    return [{ type: 'PaymentIntentTaken', data: taken }];
  },

  evolve({ holder }, event) {
    const { request_id: requestId, call_id } = event.data;
    if (event.type === 'PaymentIntentTaken') {
      const others = holder?.requestId === requestId ? holder.calls : [];
      const { chosen_id: chosenId, taken_at: takenAt } = event.data;
      return { holder: { requestId, chosenId, calls: [...others, { id: call_id ?? NO_CALL_ID, takenAt }] } };
    }
    // In older logs a place was taken once, however many calls held it.
    const calls = call_id === undefined ? [] : (holder?.calls ?? []).filter(({ id }) => id !== call_id);
    return { holder: holder === null || calls.length === 0 ? null : { ...holder, calls } };
  },
};

/** The id of calls in logs from before calls had ids. */
const NO_CALL_ID = '';

const holds = ({ calls }: Holder, callId: string): boolean => calls.some(({ id }) => id === callId);

const isSame = ({ requestId, calls }: Holder, other: Holder | null): boolean =>
  requestId === other?.requestId &&
  calls.length === other.calls.length &&
  calls.every(({ id }, at) => id === other.calls[at]?.id);
