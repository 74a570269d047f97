import { useState } from 'react';
import { type AutomationPolicy } from '../../../sdk/src/types/agent-payment.ts';
import { Amount } from '../../ui/Amount.tsx';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Muted, PageHead, Row, Stack } from '../../ui/Layout.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time, useNow } from '../../ui/Time.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAgentNames } from '../shell/use-agent-names.ts';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { changed, useMerchant } from '../use-merchant.ts';
import { PolicyForm } from './PolicyForm.tsx';

/** Wallets' decisions on policies are not in the merchant's feed, so the page polls. */
const POLL_INTERVAL_MS = 3_000;

export default function Policies() {
  const { client } = useMerchant();
  /** `new`, or the policy being changed. */
  const [open, setOpen] = useState<'new' | AutomationPolicy>();
  const query = usePages(
    ['policies'],
    async (cursor, signal) => {
      const page = await client.policies.list(cursor === undefined ? {} : { cursor }, { signal });
      return { rows: page.automation_policies, next: page.next_cursor };
    },
    POLL_INTERVAL_MS,
  );
  const agents = useAgentNames();
  const revoke = async ({ id }: AutomationPolicy): Promise<void> => {
    await client.policies.revoke(id);
    changed('policies');
  };
  const propose = (
    <Button look="main" onPress={() => setOpen('new')}>
      Propose policy
    </Button>
  );
  return (
    <>
      <PageHead title="Policies" action={propose}>
        Within a policy an agent may pay without asking each time. You propose it; the person agrees in their wallet, or
        not.
      </PageHead>
      <Loaded query={query}>
        {(policies) =>
          policies.length === 0 ? (
            <Empty title="No policy yet">Without one, every payment waits for a person.</Empty>
          ) : (
            <Stack>
              <Table<AutomationPolicy>
                label="Policies"
                rows={policies}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Policy',
                    cell: ({ id, connection_id }) => (
                      <>
                        {agents.get(connection_id) ?? 'An agent'}
                        <br />
                        <Muted>
                          <code>{id}</code>
                          <br />
                          <code>{connection_id}</code>
                        </Muted>
                      </>
                    ),
                  },
                  { title: 'Status', cell: (policy) => <PolicyStatus policy={policy} /> },
                  {
                    title: 'Each at most',
                    cell: ({ single_tx_limit, asset }) => <Amount amount={single_tx_limit} asset={asset} />,
                    align: 'end',
                  },
                  {
                    title: 'In all',
                    align: 'end',
                    cell: ({ cumulative_limit, asset, spent, remaining }) => (
                      <>
                        <Amount amount={cumulative_limit} asset={asset} />
                        <br />
                        <Muted>
                          {spent} spent, {remaining} left
                        </Muted>
                      </>
                    ),
                  },
                  { title: 'Until', cell: ({ valid_until }) => <Time at={valid_until} /> },
                  {
                    title: 'Actions',
                    cell: (policy) =>
                      policy.status !== 'revoked' && (
                        <Row>
                          <Button
                            size="small"
                            aria-label={`Change policy ${policy.id}`}
                            onPress={() => setOpen(policy)}
                          >
                            Change
                          </Button>
                          <Confirm
                            action="Revoke"
                            what={`policy ${policy.id}`}
                            size="small"
                            title="Revoke the policy"
                            typed={policy.id}
                            onConfirm={() => revoke(policy)}
                          >
                            <p>
                              From then on every payment on this connection waits for the person. This cannot be undone.
                            </p>
                          </Confirm>
                        </Row>
                      ),
                  },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <PolicyForm policy={open} onClose={() => setOpen(undefined)} />
    </>
  );
}

/** Also says why an active policy has no effect: it is no longer valid, or its connection is not active. */
function PolicyStatus({ policy }: Readonly<{ policy: AutomationPolicy }>) {
  const { status, valid_until, connection_status } = policy;
  const isOver = Date.parse(valid_until) <= useNow();
  const reasons = [
    ...(isOver ? ['its time is over'] : []),
    ...(connection_status === 'active' ? [] : [`its connection is ${connection_status}`]),
  ];
  return (
    <>
      <StatusWord status={status} />
      {status === 'active' && reasons.length > 0 && (
        <>
          <br />
          <Muted>pays nothing: {reasons.join(', ')}</Muted>
        </>
      )}
    </>
  );
}
