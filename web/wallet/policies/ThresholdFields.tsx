import { type Thresholds } from '../../../sdk/src/types/agent-payment.ts';
import { CheckField, TextArea, TextField } from '../../ui/Field.tsx';
import { type KnownPayee } from './use-payees.ts';
import { toField } from '../../ui/field-times.ts';

type ThresholdFieldsProps = Readonly<{
  asset: string;
  start: Partial<Thresholds>;
  payees: readonly Pick<KnownPayee, 'id' | 'name' | 'domain'>[];
}>;

export const THRESHOLDS = ['single_tx_limit', 'cumulative_limit', 'valid_from', 'valid_until', 'allowlist'] as const;

/** All of the limits are required. */
export const ThresholdFields = ({ asset, start, payees }: ThresholdFieldsProps) => (
  <>
    <TextField
      label="Single tx limit"
      name="single_tx_limit"
      inputMode="decimal"
      defaultValue={start.single_tx_limit}
      hint={`The maximum for one payment, in ${asset}.`}
    />
    <TextField
      label="Cumulative limit"
      name="cumulative_limit"
      inputMode="decimal"
      defaultValue={start.cumulative_limit}
      hint={`The maximum for all its payments together, in ${asset}.`}
    />
    <TextField
      label="Valid from"
      name="valid_from"
      type="datetime-local"
      defaultValue={start.valid_from && toField(start.valid_from)}
    />
    <TextField
      label="Valid until"
      name="valid_until"
      type="datetime-local"
      defaultValue={start.valid_until && toField(start.valid_until)}
    />
    {payees.length > 0 ? (
      <CheckField
        label="Allowlist"
        name="allowlist"
        hint="Who it may pay."
        {...(start.allowlist ? { chosen: start.allowlist } : {})}
        choices={payees.map(({ id, name, domain }) => ({
          value: id,
          label: (
            <>
              {name} <small>{domain === '' ? '' : `(${domain})`}</small>
            </>
          ),
        }))}
      />
    ) : (
      <TextArea
        label="Allowlist"
        name="allowlist"
        hint="The ids of the payees it may pay, one per line. Payees this device was asked to pay are offered by name."
      />
    )}
  </>
);
