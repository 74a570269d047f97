import { type PaymentRequest } from '../../../sdk/src/types/payment.ts';
import { Amount } from '../../ui/Amount.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { settlementColumn } from './settlement-column.tsx';

const linkTo = (id: string): string => `/payments/${encodeURIComponent(id)}`;

export function PaymentTable({ payments }: Readonly<{ payments: readonly PaymentRequest[] }>) {
  const networkName = useNetworkName();
  return (
    <Table<PaymentRequest>
      label="Payments"
      rows={payments}
      keyOf={({ connection_id, request_id }) => connection_id + request_id}
      columns={[
        { title: 'Payment', cell: ({ request_id }) => <a href={hrefOf(linkTo(request_id))}>{request_id}</a> },
        {
          title: 'Amount',
          align: 'end',
          cell: ({ payment }) => (
            <Amount amount={payment.amount} asset={payment.asset} network={networkName(payment.network)} />
          ),
        },
        { title: 'Payee', isName: true, cell: ({ payee }) => payee.name },
        { title: 'Agent', isName: true, cell: ({ source }) => source['agent_name'] as string },
        { title: 'Status', cell: (payment) => <State payment={payment} /> },
        ...settlementColumn(payments),
        { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** A pending request also shows the time it has left. */
const State = ({ payment }: Readonly<{ payment: PaymentRequest }>) => (
  <>
    <StatusWord status={payment.status} />
    {payment.status === 'pending' && (
      <>
        {' '}
        <Countdown until={payment.expires_at} over="" />
      </>
    )}
  </>
);
