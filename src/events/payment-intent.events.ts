// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type ConnectionId, type MerchantId, type RecipientId, type WalletDeviceId } from '../kernel/aggregates';

/**
 * A request that must be the only one for its device with this recipient and amount has taken their place. The
 * previous holder had ended by then, or had never been made.
 */
export type PaymentIntentTaken = Readonly<{
  type: 'PaymentIntentTaken';
  data: Readonly<{
    connection_id: ConnectionId;
    /** Whose place it is; missing in older logs, where each connection had its own. */
    device_id?: WalletDeviceId;
    merchant_id: MerchantId;
    recipient_id: RecipientId;
    amount: string;
    /** The id of its stream. */
    request_id: string;
    /** The id that its caller chose for the request; missing if it has none of its own, and in older logs. */
    chosen_id?: string;
    /** One of possibly several calls for the same request; missing in older logs. */
    call_id?: string;
    taken_at: string;
  }>;
}>;

/** The call was refused after all and made nothing. The place is free once all calls for the request have released it. */
export type PaymentIntentReleased = Readonly<{
  type: 'PaymentIntentReleased';
  data: Readonly<{
    connection_id: ConnectionId;
    merchant_id: MerchantId;
    request_id: string;
    /** Missing in older logs: the place is free at once. */
    call_id?: string;
    released_at: string;
  }>;
}>;

export type PaymentIntentEvent = PaymentIntentTaken | PaymentIntentReleased;
