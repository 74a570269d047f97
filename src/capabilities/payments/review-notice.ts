import { type RecipientDocument, type RecipientVersionDocument } from '../../../projections/recipients.projection';
import { type RecipientVersionId } from '../../kernel/aggregates';

export type Notice = Readonly<{
  code: string;
  severity: 'info' | 'warning' | 'danger';
  message: string;
  since?: string;
  request_ids?: readonly string[];
  /** What the agent called the payment in `request_ids`. */
  title?: string;
}>;

export const notice = (
  code: string,
  severity: Notice['severity'],
  message: string,
  { since, request_ids }: Readonly<{ since?: string | null | undefined; request_ids?: readonly string[] }> = {},
): Notice => ({ code, severity, message, ...(since ? { since } : {}), ...(request_ids ? { request_ids } : {}) });

export const versionIn = (
  recipient: RecipientDocument | undefined,
  { recipient_version_id }: Readonly<{ recipient_version_id: RecipientVersionId }>,
): RecipientVersionDocument | undefined =>
  recipient?.versions.find((one) => one.recipient_version_id === recipient_version_id);
