import { useState } from 'react';
import { type Agent, type RegisteredCredential } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { RadioField } from '../../ui/Field.tsx';
import { toast } from '../../ui/Toast.tsx';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';

type Reason = 'compromised' | 'rotated';

export function RevokeKey({ agent, credential }: Readonly<{ agent: Agent; credential: RegisteredCredential }>) {
  const { client } = useMerchant();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState<string>('compromised');
  const revoke = useAction(async () => {
    await client.agents.revokeCredential(agent.agent_id, credential.credential_id, { reason: reason as Reason });
    changed('agents', 'connections');
    setOpen(false);
    toast(`Key ${credential.kid} is revoked.`);
  });
  if (credential.status === 'revoked') return null;
  // The dialog stays open while the action runs, so that it can show an error.
  const close = revoke.isPending ? undefined : () => setOpen(false);
  return (
    <>
      <Button size="small" aria-label={`Revoke key ${credential.kid}`} onPress={() => setOpen(true)}>
        Revoke key
      </Button>
      <Dialog title={`Revoke key ${credential.kid}`} isOpen={isOpen} role="alertdialog" onClose={close}>
        <p>Tokens and pairings that came from this key stop at once. This cannot be undone.</p>
        <RadioField
          label="Reason"
          name="reason"
          value={reason}
          onChange={setReason}
          choices={[
            {
              value: 'compromised',
              label: 'Compromised',
              hint: 'Someone else may have it: connections opened with it end too, and people see why.',
            },
            {
              value: 'rotated',
              label: 'Rotated',
              hint: 'It was replaced as planned: connections stay, under the agent’s other keys.',
            },
          ]}
        />
        {revoke.error !== undefined && <ErrorNotice error={revoke.error} />}
        <DialogEnd>
          <Button isDisabled={revoke.isPending} onPress={() => setOpen(false)}>
            Cancel
          </Button>
          <Button look="danger" isPending={revoke.isPending} onPress={() => revoke.run()}>
            Revoke key
          </Button>
        </DialogEnd>
      </Dialog>
    </>
  );
}
