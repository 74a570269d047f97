// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type ConnectionId, type MerchantId, type RecipientId } from '../kernel/aggregates';

/**
 * A request that must be the only one of its connection with this recipient and amount has taken their place. The
 * previous holder was over by then, or had never been made.
 */
export type PaymentIntentTaken = Readonly<{
  type: 'PaymentIntentTaken';
  data: Readonly<{
    connection_id: ConnectionId;
    merchant_id: MerchantId;
    recipient_id: RecipientId;
    amount: string;
    request_id: string;
    taken_at: string;
  }>;
}>;

/** The request was refused after all: nothing was made. */
export type PaymentIntentReleased = Readonly<{
  type: 'PaymentIntentReleased';
  data: Readonly<{ connection_id: ConnectionId; merchant_id: MerchantId; request_id: string; released_at: string }>;
}>;

export type PaymentIntentEvent = PaymentIntentTaken | PaymentIntentReleased;
