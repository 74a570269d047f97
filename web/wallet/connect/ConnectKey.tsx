import { useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { serviceNow } from '../../live/clock.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Card, Muted, Row, Stack } from '../../ui/Layout.tsx';
import { Qr } from '../../ui/Qr.tsx';
import { Countdown, useNow } from '../../ui/Time.tsx';
import { useWallet } from '../device/use-wallet.ts';

type Shown = Readonly<{ connect_key: string; expires_at: string }>;

/** One key for one agent, for ten minutes. It is kept only on this page and disappears with it. */
export function ConnectKey() {
  const { client } = useWallet();
  const once = useOnce();
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const show = async (): Promise<void> => {
    setPending(true);
    setError(undefined);
    await once.send({}, (...sent) => client.createConnectKey(...sent)).then(setShown, setError);
    setPending(false);
  };
  return (
    <Card>
      <Stack>
        <h2>Give an agent a key</h2>
        <Muted>Give it to one agent. You see who claimed it, and decide, before it may do anything.</Muted>
        {error !== undefined && <ErrorNotice error={error} />}
        {shown && <Key shown={shown} onHide={() => setShown(undefined)} />}
        {!shown && (
          <div>
            <Button look="main" isPending={isPending} onPress={() => void show()}>
              Show Connect Key
            </Button>
          </div>
        )}
      </Stack>
    </Card>
  );
}

function Key({ shown, onHide }: Readonly<{ shown: Shown; onHide: () => void }>) {
  useNow(1_000);
  const isOver = Date.parse(shown.expires_at) <= serviceNow();
  return (
    <Stack>
      {!isOver && (
        <>
          <Qr text={shown.connect_key} label="The key as a QR code" />
          <CopyText text={shown.connect_key} secret />
        </>
      )}
      <Row>
        <span>
          {isOver ? 'This key has expired.' : 'Good for '}
          {!isOver && <Countdown until={shown.expires_at} />}
        </span>
        <Button size="small" onPress={onHide}>
          {isOver ? 'Done' : 'Hide'}
        </Button>
      </Row>
    </Stack>
  );
}
