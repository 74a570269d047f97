// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/**
 * A request that is to be the only one of its connection with this recipient and amount has taken their place. Whoever
 * held it before was over by then, or had never been made.
 */
export type PaymentIntentTaken = Readonly<{
  type: 'PaymentIntentTaken';
  data: Readonly<{
    connection_id: string;
    merchant_id: string;
    recipient_id: string;
    amount: string;
    request_id: string;
    taken_at: string;
  }>;
}>;

/** The request was refused after all: nothing was made. */
export type PaymentIntentReleased = Readonly<{
  type: 'PaymentIntentReleased';
  data: Readonly<{ connection_id: string; merchant_id: string; request_id: string; released_at: string }>;
}>;

export type PaymentIntentEvent = PaymentIntentTaken | PaymentIntentReleased;
