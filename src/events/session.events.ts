// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AccountId, type MerchantId, type SessionId } from '../kernel/aggregates';
export type SessionOpened = Readonly<{
  type: 'SessionOpened';
  data: Readonly<{
    session_id: SessionId;
    account_id: AccountId;
    merchant_id: MerchantId;
    delivery: 'cookie' | 'bearer';
    token_hash: string;
    opened_at: string;
    expires_at: string;
  }>;
}>;

/** No longer written: sessions used to end after a period of inactivity. It has no effect any more. */
export type SessionUsed = Readonly<{ type: 'SessionUsed'; data: Readonly<{ session_id: SessionId; used_at: string }> }>;

export type SessionEnded = Readonly<{
  type: 'SessionEnded';
  data: Readonly<{ session_id: SessionId; ended_at: string }>;
}>;

export type SessionEvent = SessionOpened | SessionUsed | SessionEnded;
