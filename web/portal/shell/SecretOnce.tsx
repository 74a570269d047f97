import { useEffect } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Layout.tsx';
import { kept, type Secret, useSecret } from './secrets.ts';

/** A secret that is shown only once. It leaves memory when the dialog closes, which only one button does. */
export function SecretOnce() {
  const secret = useSecret();
  useEffect(() => {
    if (secret === undefined) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [secret]);
  return (
    <Dialog title={secret?.title ?? ''} isOpen={secret !== undefined}>
      {secret !== undefined && <Shown secret={secret} />}
    </Dialog>
  );
}

const Shown = ({ secret }: Readonly<{ secret: Secret }>) => (
  <>
    <p>{secret.use}</p>
    <CopyText text={secret.secret} secret />
    <Notice tone="warn" title="Shown once">
      It cannot be shown again: we keep no readable copy. Store it with your other secrets before you continue.
    </Notice>
    <DialogEnd>
      <Button look="main" onPress={() => kept(secret)}>
        I have kept it
      </Button>
    </DialogEnd>
  </>
);
