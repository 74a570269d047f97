import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AutomationPolicyWithPayees } from '../../../sdk/src/types/agent-payment.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/Toast.tsx';
import { connectionsQuery } from '../connect/queries.ts';
import { useWallet } from '../device/use-wallet.ts';
import { useAct } from '../use-act.ts';
import { Allow } from './Allow.tsx';
import { MakePolicy } from './MakePolicy.tsx';
import { PolicyCard } from './PolicyCard.tsx';
import { policiesQuery } from './queries.ts';
import styles from './Policies.module.css';

type Asks =
  | Readonly<{ what: 'make' }>
  | Readonly<{ what: 'allow' | 'stop' | 'decline'; policy: AutomationPolicyWithPayees }>;

export function PoliciesPage() {
  const { client } = useWallet();
  const queries = useQueryClient();
  const policies = useQuery(policiesQuery(client));
  const { data: connections = [] } = useQuery(connectionsQuery(client));
  const [asks, setAsks] = useState<Asks>();
  const close = (): void => setAsks(undefined);
  const done = async (text: string): Promise<void> => {
    close();
    toast(text);
    await queries.invalidateQueries();
  };
  return (
    <>
      <PageHead
        title="Policies"
        action={
          <Button look="main" onPress={() => setAsks({ what: 'make' })}>
            Make policy
          </Button>
        }
      >
        What an agent may pay without asking each time. Nothing, unless you allow it; every payment is still signed
        here.
      </PageHead>
      {policies.isError && <ErrorNotice error={policies.error} onRetry={() => void policies.refetch()} />}
      {policies.isPending && <Skeleton lines={4} />}
      {policies.data?.length === 0 && (
        <Empty title="No policy">A merchant can propose one, or you can make your own.</Empty>
      )}
      {policies.data !== undefined && policies.data.length > 0 && (
        <ul className={styles['list']} aria-label="Policies">
          {policies.data.map((policy) => (
            <li key={policy.id}>
              <PolicyCard
                policy={policy}
                connection={connections.find(({ connection_id }) => connection_id === policy.connection_id)}
                onAllow={() => setAsks({ what: 'allow', policy })}
                onStop={() => setAsks({ what: 'stop', policy })}
                onDecline={() => setAsks({ what: 'decline', policy })}
              />
            </li>
          ))}
        </ul>
      )}
      <Dialog title="Make policy" isOpen={asks?.what === 'make'} onClose={close} width="wide">
        <MakePolicy onDone={() => void done('The policy applies from now on.')} />
      </Dialog>
      <Dialog title="Allow" isOpen={asks?.what === 'allow'} onClose={close} width="wide">
        {asks?.what === 'allow' && <Allow policy={asks.policy} onDone={() => void done('Allowed.')} />}
      </Dialog>
      <Dialog title="Stop" isOpen={asks?.what === 'stop'} onClose={close} role="alertdialog">
        {asks?.what === 'stop' && <Stop policy={asks.policy} onDone={() => void done('Stopped.')} />}
      </Dialog>
      <Dialog title="Decline" isOpen={asks?.what === 'decline'} onClose={close} role="alertdialog">
        {asks?.what === 'decline' && <Decline policy={asks.policy} onDone={() => void done('Declined.')} />}
      </Dialog>
    </>
  );
}

function Decline({ policy, onDone }: Readonly<{ policy: AutomationPolicyWithPayees; onDone: () => void }>) {
  const { client } = useWallet();
  const { act, error, isPending } = useAct();
  const decline = (): void => void act(() => client.declinePolicy(policy.id).then(onDone));
  return (
    <Stack>
      {error !== undefined && <ErrorNotice error={error} />}
      <p>You cannot allow it later; the merchant may propose another one.</p>
      <DialogEnd>
        <Button look="danger" isPending={isPending} onPress={decline}>
          Decline
        </Button>
      </DialogEnd>
    </Stack>
  );
}

function Stop({ policy, onDone }: Readonly<{ policy: AutomationPolicyWithPayees; onDone: () => void }>) {
  const { client } = useWallet();
  const { act, error, isPending } = useAct();
  const stop = (): void => void act(() => client.optOut(policy.id).then(onDone));
  return (
    <Stack>
      {error !== undefined && <ErrorNotice error={error} />}
      <p>
        From now on every payment of this agent waits for you again. Spent so far: {policy.spent} {policy.asset};
        reserved: {policy.reserved} {policy.asset}. What is paid stays paid.
      </p>
      <DialogEnd>
        <Button look="danger" isPending={isPending} onPress={stop}>
          Stop
        </Button>
      </DialogEnd>
    </Stack>
  );
}
