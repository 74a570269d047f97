import { type Check, integer, text } from './checks';
import { FieldRule, OptionalField } from './field.decorator';
import { type WalletDeviceId } from '../../kernel/aggregates';

/** Requires the field for statuses that mean nothing without it. */
const RequiredFor = (...statuses: readonly string[]): PropertyDecorator =>
  FieldRule('required_for_status', (value, input) => {
    // Compared as is: an object with a toString of its own could throw when converted to a string.
    const { status: reported } = input as Readonly<{ status?: unknown }>;
    if (value !== undefined || !statuses.some((status) => status === reported)) return [];
    return [{ code: 'required', message: `is required for ${statuses.join(' and ')}` }];
  });

/** A report as the deciders take it: what was not reported is null. */
export const reportOf = <Status extends string>(
  { status, transaction_hash, reason, ledger }: StatusReportInput & Readonly<{ status: Status }>,
  deviceId: WalletDeviceId,
) => ({
  deviceId,
  status,
  transactionHash: transaction_hash ?? null,
  reason: reason ?? null,
  ledger: ledger ?? null,
});

/** A transaction's name on its network, compared as it was written. */
export const transactionHash = (description?: string): Check =>
  text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'visible ASCII characters', ...(description && { description }) });

/** What a wallet reports besides the status itself. */
export class StatusReportInput {
  @RequiredFor('broadcasted', 'confirmed')
  @OptionalField(transactionHash())
  transaction_hash?: string;

  @RequiredFor('failed')
  @OptionalField(text({ max: 500, lines: true, description: 'Why it failed or was rejected' }))
  reason?: string;

  @OptionalField(integer(0, Number.MAX_SAFE_INTEGER, 'The ledger or block that holds the transaction'))
  ledger?: number;
}
