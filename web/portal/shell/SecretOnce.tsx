import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Layout.tsx';

/** A secret that is shown this once. It leaves memory with the dialog, and only one button closes that. */
export const SecretOnce = ({
  title,
  secret,
  use,
  onKept,
}: Readonly<{ title: string; secret: string | undefined; use: string; onKept: () => void }>) => (
  <Dialog title={title} isOpen={secret !== undefined}>
    <p>{use}</p>
    {secret !== undefined && <CopyText text={secret} secret />}
    <Notice tone="warn" title="Shown once">
      It cannot be shown again: we keep no readable copy. Put it where your other secrets are before you go on.
    </Notice>
    <DialogEnd>
      <Button look="main" onPress={onKept}>
        I have kept it
      </Button>
    </DialogEnd>
  </Dialog>
);
