import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json';
import { type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';

export type FreeForm = Readonly<Record<string, unknown>>;

/** What a caller wants, limited to what callers may decide. Absent fields stay absent: defaults are ours. */
export type Intent = Readonly<{
  recipient_id: RecipientId;
  recipient_version_id: RecipientVersionId;
  payment: Readonly<{ amount: string }>;
  policy: Readonly<{ requires_user_approval: true }>;
  /** RFC 3339 UTC with milliseconds: two spellings of the same instant are the same intent. */
  expires_at?: string;
  transaction_id?: string;
  source?: FreeForm;
  display?: FreeForm;
  metadata?: FreeForm;
}>;

/** Decides whether a repeat means the same. Key and request id identify the intent and are not part of it. */
export const intentDigest = (intent: Intent): string => `sha256:${hash('sha256', canonicalJson(intent))}`;
