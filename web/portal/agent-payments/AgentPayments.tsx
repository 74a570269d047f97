import { PAYMENT_STATUSES } from '../../../sdk/src/payment-statuses.ts';
import { type AgentPayment, type AgentPaymentStatus } from '../../../sdk/src/types/agent-payment.ts';
import { Amount } from '../../ui/Amount.tsx';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { SelectField } from '../../ui/Field.tsx';
import { PageHead, Row, Stack } from '../../ui/Layout.tsx';
import { goTo, hrefOf, usePlace, withQuery } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { settlementColumn } from '../payments/settlement-column.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAgentNames } from '../shell/use-agent-names.ts';
import { useNetworkName } from '../shell/use-networks.ts';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { PAYMENT } from '../shell/status-labels.ts';
import { useMerchant } from '../use-merchant.ts';
import { INITIATORS } from './initiators.ts';

const STATUSES = PAYMENT_STATUSES.map((status) => (status === 'pending' ? 'intent_created' : status));

/** Payments that servers requested with an API key, newest first. */
export default function AgentPayments() {
  const { client } = useMerchant();
  const status = (usePlace().query.get('status') ?? '') as AgentPaymentStatus | '';
  const query = usePages(['agent-payments', 'list', status], async (cursor, signal) => {
    const wanted = { ...(status === '' ? {} : { status }), ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.policies.listPayments(wanted, { signal });
    return { rows: page.agent_payments, next: page.next_cursor };
  });
  const look = (next: string): void =>
    goTo(withQuery('/agent-payments', next === '' ? {} : { status: next }), 'replace');
  return (
    <>
      <PageHead title="Agent payments" action={<LinkButton to="/payments">Back to Payments</LinkButton>}>
        What your servers requested with an API key: by an agent alone within a policy, or for a person to decide.
      </PageHead>
      <Row>
        <SelectField
          label="Status"
          name="status"
          value={status}
          onChange={({ currentTarget }) => look(currentTarget.value)}
        >
          <option value="">All</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {PAYMENT[one]?.[0] ?? one}
            </option>
          ))}
        </SelectField>
      </Row>
      <Loaded query={query}>
        {(payments) =>
          payments.length > 0 ? (
            <Stack>
              <AgentPaymentTable payments={payments} />
              <ShowMore query={query} />
            </Stack>
          ) : status === '' ? (
            <Empty title="No agent payment yet">As soon as a server requests one, it appears here.</Empty>
          ) : (
            <Empty title="Nothing matches" action={<Button onPress={() => look('')}>Show all</Button>}>
              No agent payment is in this state now.
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function AgentPaymentTable({ payments }: Readonly<{ payments: readonly AgentPayment[] }>) {
  const networkName = useNetworkName();
  const agents = useAgentNames();
  return (
    <Table<AgentPayment>
      label="Agent payments"
      rows={payments}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Payment', cell: ({ id }) => <a href={hrefOf(`/agent-payments/${id}`)}>{id}</a> },
        {
          title: 'Amount',
          align: 'end',
          cell: ({ amount, asset, network }) => <Amount amount={amount} asset={asset} network={networkName(network)} />,
        },
        { title: 'Payee', isName: true, cell: ({ payee }) => payee.name },
        { title: 'Agent', isName: true, cell: ({ connection_id }) => agents.get(connection_id) ?? '' },
        { title: 'Initiator', isName: true, cell: ({ initiator }) => INITIATORS[initiator] },
        {
          title: 'Status',
          cell: ({ status, expires_at }) => (
            <>
              <StatusWord status={status} />
              {status === 'intent_created' && (
                <>
                  {' '}
                  <Countdown until={expires_at} over="" />
                </>
              )}
            </>
          ),
        },
        ...settlementColumn(payments),
        { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}
