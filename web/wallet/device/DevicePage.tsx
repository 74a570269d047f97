import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Card, Facts, Muted, Notice, PageHead, Row, Section, Stack } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useStaysOpen } from '../../ui/stays-open.ts';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { network } from './network.ts';
import { useWallet } from './use-wallet.ts';
import { wallet } from './wallet.ts';

export function DevicePage() {
  const { client, record } = useWallet();
  const device = useQuery({ queryKey: ['device'], queryFn: ({ signal }) => client.readDevice({ signal }) });
  const [asks, setAsks] = useState<'rotate' | 'remove'>();
  const close = (): void => setAsks(undefined);
  return (
    <>
      <PageHead title="Device">What the service knows about this wallet: a name and a token, never a key.</PageHead>
      <Card>
        {device.isError && <ErrorNotice error={device.error} onRetry={() => void device.refetch()} />}
        <Facts
          facts={[
            ['Name', record.deviceName],
            ['Device id', <code key="id">{record.deviceId}</code>],
            [
              'Registered',
              device.data ? <Time key="at" at={device.data.created_at} /> : <Skeleton key="at" lines={1} />,
            ],
            ['Network server', network?.url ?? 'None: what you sign is yours to submit'],
          ]}
        />
        <Row>
          <Button onPress={() => setAsks('rotate')}>Rotate token</Button>
          <Button onPress={() => wallet.lockEverywhere()}>Lock now</Button>
        </Row>
      </Card>
      <Section title="Remove this device">
        <Muted>Ends every connection of this device and erases the sealed key from this browser.</Muted>
        <div>
          <Button look="danger" onPress={() => setAsks('remove')}>
            Remove this device
          </Button>
        </div>
      </Section>
      <Dialog title="Rotate token" isOpen={asks === 'rotate'} onClose={close}>
        <Rotate onDone={close} />
      </Dialog>
      <Dialog title="Remove this device" isOpen={asks === 'remove'} onClose={close} role="alertdialog">
        <Remove deviceName={record.deviceName} />
      </Dialog>
    </>
  );
}

function Rotate({ onDone }: Readonly<{ onDone: () => void }>) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  useStaysOpen(isPending);
  const rotate = async (): Promise<void> => {
    setPending(true);
    try {
      await wallet.rotateToken();
      toast('The token is new; the old one no longer works.');
      onDone();
    } catch (caught) {
      setError(caught);
      setPending(false);
    }
  };
  return (
    <Stack>
      {error !== undefined && <ErrorNotice error={error} />}
      <p>
        The service gives this device a new token and no longer accepts the old one. Do this if someone may have read
        what this browser sends. Connections stay.
      </p>
      <DialogEnd>
        <Button look="main" isPending={isPending} onPress={() => void rotate()}>
          Rotate token
        </Button>
      </DialogEnd>
    </Stack>
  );
}

function Remove({ deviceName }: Readonly<{ deviceName: string }>) {
  const [problem, setProblem] = useState<string>();
  const submit = async (form: FormData): Promise<void> => {
    if (textIn(form, 'name') !== deviceName) return setProblem('This is not the name of the device.');
    setProblem(undefined);
    await wallet.remove();
  };
  return (
    <Form onSubmit={submit} fields={[]} label="Remove this device">
      {({ isPending }) => (
        <>
          <Notice tone="bad" title={`${deviceName} and all its connections end`}>
            The key stays yours only if you have its 24 words. What is on its way to the network is not followed any
            more.
          </Notice>
          <TextField
            label="Device name"
            name="name"
            problem={problem}
            hint={
              <>
                Type <strong>{deviceName}</strong> to go on.
              </>
            }
          />
          <DialogEnd>
            <Button type="submit" look="danger" isPending={isPending}>
              Remove this device
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}
