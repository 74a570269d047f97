export type FreeForm = Readonly<Record<string, unknown>>;

export type Page = Readonly<{
  /** 1 to 200, 50 by default. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}>;

export type NextCursor = Readonly<{ next_cursor: string | null }>;

export const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;
export type Scope = (typeof SCOPES)[number];
