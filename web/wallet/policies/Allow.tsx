import { type AutomationPolicy } from '../../../sdk/src/types/agent-payment.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { tightened, thresholdsIn } from './read-thresholds.ts';
import { ThresholdFields, THRESHOLDS } from './ThresholdFields.tsx';
import { usePayees } from './use-payees.ts';

/** The proposal, to be taken as it is or made tighter. */
export function Allow({ policy, onDone }: Readonly<{ policy: AutomationPolicy; onDone: () => void }>) {
  const { client } = useWallet();
  const known = usePayees();
  const payees = policy.allowlist.map((id) => known.find((payee) => payee.id === id) ?? { id, name: id, domain: '' });
  const submit = async (form: FormData): Promise<void> => {
    // Of this version: a proposal that changed meanwhile is not agreed to by accident.
    await client.optIn(policy.id, { version: policy.version, ...tightened(policy, thresholdsIn(form)) });
    onDone();
  };
  return (
    <Form onSubmit={submit} fields={THRESHOLDS} label="Allow">
      {({ isPending }) => (
        <>
          <Muted>You can make every limit tighter than proposed, never looser. What you choose is what holds.</Muted>
          <ThresholdFields asset={policy.asset} start={policy} payees={payees} />
          <DialogEnd>
            <Button type="submit" look="main" isPending={isPending}>
              Allow
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}
