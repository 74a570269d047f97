import { useQuery } from '@tanstack/react-query';
import { PAYMENT_STATUSES } from '../../../sdk/src/payment-statuses.ts';
import { SelectField, TextField } from '../../ui/Field.tsx';
import { allOf } from '../../live/all-of.ts';
import { PAYMENT } from '../shell/status-labels.ts';
import { useMerchant } from '../use-merchant.ts';
import { type Wanted } from './Payments.tsx';
import styles from './Payments.module.css';

type Option = Readonly<{ value: string; label: string }>;

export function Filters({ wanted, onLook }: Readonly<{ wanted: Wanted; onLook: (wanted: Wanted) => void }>) {
  const { client } = useMerchant();
  const agents = useQuery({
    queryKey: ['agents', 'all'],
    queryFn: ({ signal }) =>
      allOf(
        (page) => client.agents.list(page, { signal }),
        (answer) => answer.agents,
      ),
  });
  const payees = useQuery({
    queryKey: ['recipients', 'all'],
    queryFn: ({ signal }) =>
      allOf(
        (page) => client.recipients.list(page, { signal }),
        (answer) => answer.recipients,
      ),
  });
  const set = (name: keyof Wanted) => (event: React.SyntheticEvent<HTMLInputElement | HTMLSelectElement>) => {
    const { [name]: _, ...others } = wanted;
    const { value } = event.currentTarget;
    onLook(value === '' ? others : { ...others, [name]: value });
  };
  const { from, to } = wanted;
  const select = (label: string, name: keyof Wanted, options: readonly Option[]) => (
    <SelectField label={label} name={name} value={wanted[name] ?? ''} onChange={set(name)}>
      <option value="">All</option>
      {options.map(({ value, label: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  );
  return (
    <div className={styles['filters']} role="group" aria-label="Filters">
      {select(
        'Status',
        'status',
        PAYMENT_STATUSES.map((value) => ({ value, label: PAYMENT[value]?.[0] ?? value })),
      )}
      {select(
        'Agent',
        'agent_id',
        (agents.data ?? []).map(({ agent_id, name }) => ({ value: agent_id, label: name })),
      )}
      {select(
        'Payee',
        'recipient_id',
        (payees.data ?? []).map(({ recipient_id, name }) => ({ value: recipient_id, label: name })),
      )}
      <TextField label="From" name="from" type="date" max={to} value={from ?? ''} onChange={set('from')} />
      <TextField label="To" name="to" type="date" min={from} value={to ?? ''} onChange={set('to')} />
    </div>
  );
}
