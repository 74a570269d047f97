import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConnectInvitation, type Connection, type PairingSession } from '../../../sdk/src/types/connect.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Muted, Notice, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { ConnectKey } from '../connect/ConnectKey.tsx';
import { Decision } from '../connect/Decision.tsx';
import { PairingForm } from '../connect/PairingForm.tsx';
import { connectionsQuery, invitationsQuery } from '../connect/queries.ts';
import { useWallet } from '../device/use-wallet.ts';
import { ConnectionStatus } from './ConnectionStatus.tsx';
import { namesInWords } from './names.ts';
import styles from './Connections.module.css';

export function ConnectionsPage() {
  const { client } = useWallet();
  const connections = useQuery(connectionsQuery(client));
  return (
    <>
      <PageHead title="Connections">Agents that may ask this device for payments.</PageHead>
      <Deciding />
      <Section title="Connected agents">
        {connections.isError && <ErrorNotice error={connections.error} onRetry={() => void connections.refetch()} />}
        {connections.isPending && <Skeleton />}
        {connections.data?.length === 0 && (
          <Empty title="No agent is connected">Show a Connect Key to an agent, or type the code it shows you.</Empty>
        )}
        {connections.data && connections.data.length > 0 && <Connections connections={connections.data} />}
      </Section>
    </>
  );
}

const Connections = ({ connections }: Readonly<{ connections: readonly Connection[] }>) => (
  <ul className={styles['list']} aria-label="Connections">
    {connections.map((one) => (
      <li key={one.connection_id}>
        <a href={hrefOf(`/connections/${one.connection_id}`)}>
          <span className={styles['who']}>
            <strong>{one.merchant_name}</strong>
            <Muted>
              {one.merchant_domain} · {one.agent_name}
            </Muted>
            {one.agreed_names && <Muted>You agreed to {namesInWords(one.agreed_names)}</Muted>}
          </span>
          <span className={styles['state']}>
            <ConnectionStatus status={one.status} />
            <Muted>
              <Time at={one.created_at} />
            </Muted>
          </span>
        </a>
      </li>
    ))}
  </ul>
);

type Pairing = Readonly<{ session: PairingSession; code: string }>;

/** The two ways to connect, and the decision over both as soon as an agent asks for one. */
function Deciding() {
  const { client } = useWallet();
  const queries = useQueryClient();
  const { data: invitations = [], error } = useQuery(invitationsQuery(client));
  const [later, setLater] = useState<ReadonlySet<string>>(new Set());
  const [pairing, setPairing] = useState<Pairing>();
  const [taken, setTaken] = useState(0);

  const [shown, setShown] = useState<ConnectInvitation>();
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());

  const next = invitations.find(({ connect_invitation_id: id }) => !later.has(id) && !settled.has(id));
  // Never swap the request on screen: a click meant for it could approve another one.
  if (shown === undefined && next !== undefined) setShown(next);
  const isStillOpen = invitations.some(({ connect_invitation_id: id }) => id === shown?.connect_invitation_id);
  const putOff = invitations.filter(({ connect_invitation_id: id }) => later.has(id));
  const decided = async (text: string, id?: string): Promise<void> => {
    setPairing(undefined);
    if (id !== undefined) setSettled(new Set([...settled, id]));
    if (id !== undefined) setShown(undefined);
    // The key was for this one agent and is now spent.
    setTaken(taken + 1);
    toast(text);
    await queries.invalidateQueries();
  };

  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {putOff.map((one) => (
        <PutOff key={one.connect_invitation_id} invitation={one} onDecide={() => setLater(new Set())} />
      ))}
      <div className={styles['ways']}>
        <ConnectKey key={taken} />
        <PairingForm onFound={(session, code) => setPairing({ session, code })} />
      </div>
      <Dialog
        title={`${shown?.agent_name ?? 'An agent'} wants to connect`}
        isOpen={shown !== undefined && pairing === undefined}
        onClose={() => {
          if (shown) setLater(new Set([...later, shown.connect_invitation_id]));
          setShown(undefined);
        }}
      >
        {shown && !isStillOpen && <Notice tone="warn">It is no longer waiting for you.</Notice>}
        {shown && isStillOpen && (
          <Decision
            key={shown.connect_invitation_id}
            asker={shown}
            approve={async (scopes) => {
              const { connection } = await client.approveInvitation(shown.connect_invitation_id, { scopes });
              await decided(`${connection.agent_name} is connected.`, shown.connect_invitation_id);
            }}
            reject={async () => {
              await client.rejectInvitation(shown.connect_invitation_id);
              await decided('Rejected.', shown.connect_invitation_id);
            }}
          />
        )}
      </Dialog>
      <Dialog
        title={`${pairing?.session.agent_name ?? 'An agent'} wants to connect`}
        isOpen={pairing !== undefined}
        onClose={() => setPairing(undefined)}
      >
        {pairing && <PairingDecision pairing={pairing} decided={decided} />}
      </Dialog>
    </>
  );
}

function PairingDecision({
  pairing: { session, code },
  decided,
}: Readonly<{ pairing: Pairing; decided: (text: string) => Promise<void> }>) {
  const { client } = useWallet();
  const { pairing_session_id: id } = session;
  if (session.status !== 'pending') {
    return <Notice tone="warn">This code has been decided on before: it is {session.status}.</Notice>;
  }
  return (
    <Decision
      asker={session}
      approve={async (scopes) => {
        // The token in the response is for the agent, which fetches its own copy.
        const { connection } = await client.approvePairing(id, { code, scopes });
        await decided(`${connection.agent_name} is connected.`);
      }}
      reject={async () => {
        await client.rejectPairing(id, code);
        await decided('Rejected.');
      }}
    />
  );
}

const PutOff = ({ invitation, onDecide }: Readonly<{ invitation: ConnectInvitation; onDecide: () => void }>) => (
  <Notice tone="warn" title={`${invitation.agent_name} of ${invitation.merchant_name} waits for your decision`}>
    <Row>
      <Button size="small" onPress={onDecide}>
        Decide
      </Button>
    </Row>
  </Notice>
);
