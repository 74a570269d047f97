import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Layout.tsx';

/** A secret that is shown only once. It leaves memory when the dialog closes, which only one button does. */
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
