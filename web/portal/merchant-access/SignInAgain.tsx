import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { portalSession } from '../session.ts';
import { AskForLink } from './AskForLink.tsx';

/** Shown over the page as it was left: what was typed is still there after signing in. */
export const SignInAgain = ({ isOpen }: Readonly<{ isOpen: boolean }>) => (
  <Dialog title="Sign in again" isOpen={isOpen} role="alertdialog">
    <p>
      Your session has ended. Ask for a link and open it in this browser; this page then goes on by itself, with
      everything you typed.
    </p>
    <AskForLink waits />
    <DialogEnd>
      <Button look="quiet" onPress={() => portalSession.leave()}>
        Leave this page
      </Button>
    </DialogEnd>
  </Dialog>
);
