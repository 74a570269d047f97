import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form } from '../../ui/Form.tsx';
import { Notice, Stack } from '../../ui/Layout.tsx';
import { type Account } from '../device/storage.ts';
import { WrongPassphrase } from '../device/device-client.ts';
import { wallet } from '../device/wallet.ts';
import { passphraseIn } from './passphrase-in.ts';
import { Words } from './Words.tsx';

/** Only on request: the passphrase is asked for again, and the secret is gone when the dialog closes. */
export function ShowSecret({ of, onClose }: Readonly<{ of: Account | 'words'; onClose: () => void }>) {
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const submit = async (form: FormData): Promise<void> => {
    setProblem(undefined);
    try {
      await wallet.checkPassphrase(passphraseIn(form));
    } catch (error) {
      if (!(error instanceof WrongPassphrase)) throw error;
      return setProblem(error.message);
    }
    setSecret(await wallet.withWords((words) => secretIn(words, of)));
  };

  if (secret !== undefined) {
    return (
      <Stack>
        <Notice tone="bad" title="Whoever sees this can spend everything">
          Make sure nobody is looking over your shoulder. It disappears from this page when you close it.
        </Notice>
        {of === 'words' ? <Words words={secret} /> : <CopyText text={secret} secret />}
        <DialogEnd>
          <Button look="main" onPress={onClose}>
            I have kept it
          </Button>
        </DialogEnd>
      </Stack>
    );
  }
  return (
    <Form onSubmit={submit} fields={[]} label="Show the secret">
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
          <DialogEnd>
            <Button type="submit" look="danger" isPending={isPending}>
              {of === 'words' ? 'Show words' : 'Show secret key'}
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}

async function secretIn(words: string, of: Account | 'words'): Promise<string> {
  if (of === 'words') return words;
  const { secretOf } = await import('./stellar-key.ts');
  return secretOf(words, of.index);
}
