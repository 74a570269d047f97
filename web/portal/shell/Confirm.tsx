import { useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { useAction } from './use-action.ts';

type ConfirmProps = Readonly<{
  /** The label of the button that opens the dialog and of the one that confirms. */
  action: string;
  title: string;
  children: React.ReactNode;
  onConfirm: () => Promise<unknown>;
  /** What must be typed first if the action cannot be undone. */
  typed?: string;
  look?: 'plain' | 'quiet' | 'main';
  end?: 'danger' | 'main';
  size?: 'small' | 'normal';
  what?: string;
}>;

/** A second step: says what will happen, and asks for a name to be typed if it cannot be undone. */
export function Confirm({
  action,
  title,
  children,
  onConfirm,
  typed,
  look = 'plain',
  end = 'danger',
  size = 'normal',
  what,
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const doing = useAction(async () => {
    await onConfirm();
    setOpen(false);
  });
  const open = (): void => {
    setText('');
    doing.clear();
    setOpen(true);
  };
  // The dialog stays open while the action runs, so that it can show an error.
  const close = doing.isPending ? undefined : () => setOpen(false);
  return (
    <>
      <Button
        look={look}
        size={size}
        onPress={open}
        {...(what === undefined ? {} : { 'aria-label': `${action} ${what}` })}
      >
        {action}
      </Button>
      <Dialog title={title} isOpen={isOpen} role="alertdialog" onClose={close}>
        <div>{children}</div>
        {typed !== undefined && (
          <TextField
            label={`Type “${typed}” to go on`}
            name="typed"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {doing.error !== undefined && <ErrorNotice error={doing.error} />}
        <DialogEnd>
          <Button isDisabled={doing.isPending} onPress={() => setOpen(false)}>
            Cancel
          </Button>
          <Button
            look={end}
            isPending={doing.isPending}
            isDisabled={typed !== undefined && text.trim() !== typed}
            onPress={() => doing.run()}
          >
            {action}
          </Button>
        </DialogEnd>
      </Dialog>
    </>
  );
}
