import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Connection } from '../../../sdk/src/types/connect.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { isCode } from '../../live/errors.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Card, Facts, Notice, PageHead, Row, Section, Stack } from '../../ui/Layout.tsx';
import { NotFound } from '../NotFound.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { scopeInWords } from '../connect/scopes.ts';
import { useWallet } from '../device/use-wallet.ts';
import { PaymentList } from '../review/PaymentList.tsx';
import { paymentsQuery } from '../review/queries.ts';
import { ConnectionStatus } from './ConnectionStatus.tsx';
import { namesInWords } from './names.ts';
import styles from './Connections.module.css';

export function ConnectionPage({ id }: Readonly<{ id: string }>) {
  const { client } = useWallet();
  const { data, error, refetch } = useQuery({
    queryKey: ['connection', id],
    queryFn: ({ signal }) => client.readConnection(id, { signal }),
  });
  if (isCode(error, 'resource_not_found')) return <NotFound />;
  // Show this next to the existing content, which may include a new token that is shown only once.
  const trouble = error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return trouble || <Skeleton lines={5} />;
  return (
    <>
      {trouble}
      <PageHead title={data.merchant_name}>
        {data.merchant_domain} · {data.agent_name}
      </PageHead>
      <Card>
        <Facts
          facts={[
            ['Status', <ConnectionStatus key="status" status={data.status} />],
            [
              'It may',
              <ul key="scopes" className={styles['scopes']}>
                {data.scopes.map((scope) => (
                  <li key={scope}>{scopeInWords(scope)}</li>
                ))}
              </ul>,
            ],
            ['Connected', <Time key="since" at={data.created_at} />],
            ...(data.agreed_names ? ([['You agreed to', namesInWords(data.agreed_names)]] as const) : []),
          ]}
        />
        {data.agreed_names && (
          <Notice tone="warn" title="It has another name now">
            You know it as {namesInWords(data.agreed_names)}; its requests keep that name. The merchant’s domain is what
            was proven: {data.merchant_domain}.
          </Notice>
        )}
        {data.status !== 'revoked' && <Actions connection={data} />}
      </Card>
      <Done connectionId={id} />
    </>
  );
}

function Actions({ connection }: Readonly<{ connection: Connection }>) {
  const { client } = useWallet();
  const queries = useQueryClient();
  const [asks, setAsks] = useState<'revoke' | 'rotate'>();
  const [token, setToken] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const { connection_id: id, agent_name: name, status } = connection;

  const act = async (work: () => Promise<unknown>, said: string): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await work();
      setAsks(undefined);
      toast(said);
      await queries.invalidateQueries();
    } catch (caught) {
      setError(caught);
    }
    setPending(false);
  };
  const rotate = async (): Promise<void> => setToken((await client.rotateConnectionToken(id)).connection_token);

  return (
    <Stack>
      {error !== undefined && asks === undefined && <ErrorNotice error={error} />}
      <Row>
        {status === 'active' ? (
          <Button
            isPending={isPending && asks === undefined}
            onPress={() => void act(() => client.changeConnection(id, 'paused'), `${name} is paused.`)}
          >
            Pause
          </Button>
        ) : (
          <Button
            look="main"
            isPending={isPending && asks === undefined}
            onPress={() => void act(() => client.changeConnection(id, 'active'), `${name} may ask again.`)}
          >
            Resume
          </Button>
        )}
        <Button onPress={() => setAsks('rotate')}>Rotate token</Button>
        <Button look="danger" onPress={() => setAsks('revoke')}>
          Revoke
        </Button>
      </Row>
      <Dialog title="Rotate token" isOpen={asks === 'rotate'} onClose={() => setAsks(undefined)}>
        {error !== undefined && <ErrorNotice error={error} />}
        <p>
          The token {name} has stops at once. You get the new one and hand it over yourself: until then the agent can do
          nothing.
        </p>
        <DialogEnd>
          <Button
            look="danger"
            isPending={isPending}
            onPress={() => void act(rotate, 'The old token no longer works.')}
          >
            Rotate token
          </Button>
        </DialogEnd>
      </Dialog>
      <Dialog title={`New token for ${name}`} isOpen={token !== undefined}>
        <Notice tone="warn" title="It is shown once">
          Give it to the agent and to nobody else.
        </Notice>
        <CopyText text={token ?? ''} secret />
        <DialogEnd>
          <Button look="main" onPress={() => setToken(undefined)}>
            I have kept it
          </Button>
        </DialogEnd>
      </Dialog>
      <Dialog title={`Revoke ${name}`} isOpen={asks === 'revoke'} onClose={() => setAsks(undefined)} role="alertdialog">
        {error !== undefined && <ErrorNotice error={error} />}
        <p>
          {name} of {connection.merchant_name} can never use this connection again. To work with it later you connect
          anew.
        </p>
        <DialogEnd>
          <Button onPress={() => setAsks(undefined)}>Keep it</Button>
          <Button
            look="danger"
            isPending={isPending}
            onPress={() => void act(() => client.revokeConnection(id), `${name} is revoked.`)}
          >
            Revoke
          </Button>
        </DialogEnd>
      </Dialog>
    </Stack>
  );
}

/** The payments that the agent has asked for. */
function Done({ connectionId }: Readonly<{ connectionId: string }>) {
  const { client } = useWallet();
  const { data, error, refetch } = useQuery(paymentsQuery(client));
  return (
    <Section title="What it has done">
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        <Skeleton />
      ) : (
        <PaymentList
          label="Payments"
          payments={data.filter((one) => one.connectionId === connectionId)}
          empty="It has asked for nothing yet."
        />
      )}
    </Section>
  );
}
