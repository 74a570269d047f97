import { SCOPES, type Scope } from '../../../sdk/src/types/common.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { SCOPE_WORDS } from '../shell/status-labels.ts';
import { changed, useMerchant } from '../use-merchant.ts';

const CHOICES = SCOPES.map((scope) => ({
  value: scope,
  label: (
    <>
      {SCOPE_WORDS[scope]} <Muted>({scope})</Muted>
    </>
  ),
}));

type Props = Readonly<{ isOpen: boolean; onClose: () => void; onCreated: (id: string) => void }>;

export function CreateAgent({ isOpen, onClose, onCreated }: Props) {
  const { client } = useMerchant();
  const once = useOnce();
  const create = async (form: FormData): Promise<void> => {
    const input = {
      name: textIn(form, 'name'),
      runtime: textIn(form, 'runtime'),
      allowed_scopes: form.getAll('allowed_scopes') as Scope[],
    };
    const agent = await once.send(input, (...sent) => client.agents.create(...sent));
    changed('agents');
    onClose();
    onCreated(agent.agent_id);
  };
  return (
    <Dialog title="Create agent" isOpen={isOpen} onClose={onClose}>
      <Form fields={['name', 'runtime', 'allowed_scopes']} onSubmit={create}>
        {({ isPending }) => (
          <>
            <TextField label="Name" name="name" hint="People see it when they decide whether to connect." />
            <TextField label="Runtime" name="runtime" placeholder="node" hint="What it runs on, for your own records" />
            <CheckField
              label="What it may do"
              name="allowed_scopes"
              hint="A person who connects it can allow less, never more."
              choices={CHOICES}
              chosen={SCOPES}
            />
            <DialogEnd>
              <Button onPress={onClose}>Cancel</Button>
              <Button type="submit" look="main" isPending={isPending}>
                Create agent
              </Button>
            </DialogEnd>
          </>
        )}
      </Form>
    </Dialog>
  );
}
