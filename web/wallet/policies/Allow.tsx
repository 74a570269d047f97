import { type AutomationPolicyWithPayees } from '../../../sdk/src/types/agent-payment.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { PolicyWhatIf } from './PolicyWhatIf.tsx';
import { chosenInstead, thresholdsIn } from './read-thresholds.ts';
import { ThresholdFields, THRESHOLDS } from './ThresholdFields.tsx';

/** The proposal, to be accepted as it is or with tighter limits. */
export function Allow({ policy, onDone }: Readonly<{ policy: AutomationPolicyWithPayees; onDone: () => void }>) {
  const { client } = useWallet();
  const payees = policy.proposed.allowlist.map((id) => {
    const { name = id, domain = '' } = policy.payees.find(({ recipient_id }) => recipient_id === id) ?? {};
    return { id, name, domain: domain ?? '' };
  });
  const submit = async (form: FormData): Promise<void> => {
    // The version guards against agreeing to a proposal that has changed meanwhile.
    await client.optIn(policy.id, {
      version: policy.version,
      ...chosenInstead(policy, policy.proposed, thresholdsIn(form)),
    });
    onDone();
  };
  return (
    <Form onSubmit={submit} fields={THRESHOLDS} label="Allow">
      {({ isPending }) => (
        <>
          <Muted>You can make every limit tighter than proposed, never looser. What you choose is what holds.</Muted>
          <ThresholdFields asset={policy.asset} start={policy} payees={payees} />
          <PolicyWhatIf policy={policy} />
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
