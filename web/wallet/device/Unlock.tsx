import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Notice } from '../../ui/Layout.tsx';
import { Entrance } from '../Entrance.tsx';
import { passphraseIn } from '../keys/passphrase-in.ts';
import { WrongPassphrase } from './device-client.ts';
import { wallet } from './wallet.ts';

export function Unlock({ deviceName }: Readonly<{ deviceName: string }>) {
  const [problem, setProblem] = useState<string>();
  const [forgets, setForgets] = useState(false);

  const submit = async (form: FormData): Promise<void> => {
    setProblem(undefined);
    try {
      await wallet.unlock(passphraseIn(form));
    } catch (error) {
      if (!(error instanceof WrongPassphrase)) throw error;
      setProblem(error.message);
    }
  };

  return (
    <Entrance title="Locked" lead={`${deviceName} is locked. Whatever was in progress continues when you unlock it.`}>
      <Form onSubmit={submit} fields={[]} label="Unlock">
        {({ isPending }) => (
          <>
            <TextField
              label="Passphrase"
              name="passphrase"
              type="password"
              autoComplete="current-password"
              autoFocus
              problem={problem}
            />
            <Button type="submit" look="main" isPending={isPending}>
              {isPending ? 'Unlocking…' : 'Unlock'}
            </Button>
          </>
        )}
      </Form>
      <Button look="quiet" size="small" onPress={() => setForgets(true)}>
        Passphrase forgotten
      </Button>
      <Dialog title="Start again with your words" isOpen={forgets} onClose={() => setForgets(false)} role="alertdialog">
        <Forget deviceName={deviceName} onClose={() => setForgets(false)} />
      </Dialog>
    </Entrance>
  );
}

function Forget({ deviceName, onClose }: Readonly<{ deviceName: string; onClose: () => void }>) {
  const [problem, setProblem] = useState<string>();
  const submit = async (form: FormData): Promise<void> => {
    if (textIn(form, 'name') !== deviceName) return setProblem('This is not the name of the device.');
    await wallet.forget();
  };
  return (
    <Form onSubmit={submit} fields={[]} label="Start again">
      {({ isPending }) => (
        <>
          <Notice tone="bad" title="The sealed key is erased from this browser">
            Only your 24 words restore it. Connections of this device stay at the service but cannot be used any more;
            connect again afterwards.
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
            <Button type="button" onPress={onClose}>
              Keep it
            </Button>
            <Button type="submit" look="danger" isPending={isPending}>
              Erase the key
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}
