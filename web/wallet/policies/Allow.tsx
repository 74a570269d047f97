import { useQueryClient } from '@tanstack/react-query';
import { type AutomationPolicyWithPayees, type PolicyPayee } from '../../../sdk/src/types/agent-payment.ts';
import { PageError } from '../../live/page-error.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { PolicyWhatIf } from './PolicyWhatIf.tsx';
import { chosenInstead, thresholdsIn } from './read-thresholds.ts';
import { ReplacedNotice, useReplaced } from './Replaced.tsx';
import { ThresholdFields, THRESHOLDS } from './ThresholdFields.tsx';

const COMPARE_FIRST = 'Close this, compare its address on the Policies page, and allow it then.';

/** The proposal, to be accepted as it is or with tighter limits. */
export function Allow({ policy, onDone }: Readonly<{ policy: AutomationPolicyWithPayees; onDone: () => void }>) {
  const { client } = useWallet();
  const queries = useQueryClient();
  const replaced = useReplaced();
  const payees = policy.proposed.allowlist.map((id) => {
    const { name = id, domain = '' } = policy.payees.find(({ recipient_id }) => recipient_id === id) ?? {};
    return { id, name, domain: domain ?? '' };
  });
  const submit = async (form: FormData): Promise<void> => {
    // The policy's version does not cover a payee's address: the person would agree to an address they have not seen.
    const { payees: now } = await client.readPolicy(policy.id);
    if (!areSamePayees(now, policy.payees)) {
      await queries.invalidateQueries();
      throw new PageError('A payee has changed since you looked.', COMPARE_FIRST, 'payee_changed');
    }
    // Both guard against agreeing to what has changed meanwhile: the proposal, or where a payee is paid.
    const isDone = await replaced.attempt((named) =>
      client.optIn(policy.id, {
        ...named,
        version: policy.version,
        recipient_version_ids: policy.payees.flatMap(({ recipient_version_id: id }) => (id === null ? [] : [id])),
        ...chosenInstead(policy, policy.proposed, thresholdsIn(form)),
      }),
    );
    if (isDone) onDone();
  };
  return (
    <Form onSubmit={submit} fields={THRESHOLDS} label="Allow">
      {({ isPending }) => (
        <>
          <Muted>You can make every limit tighter than proposed, never looser. What you choose is what applies.</Muted>
          <ThresholdFields asset={policy.asset} start={policy} payees={payees} />
          <PolicyWhatIf policy={policy} />
          <ReplacedNotice id={replaced.id} />
          <DialogEnd>
            <Button type="submit" look="main" isPending={isPending}>
              {replaced.id === undefined ? 'Allow' : 'Replace and allow'}
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}

const areSamePayees = (now: readonly PolicyPayee[], shown: readonly PolicyPayee[]): boolean =>
  now.length === shown.length &&
  now.every(({ recipient_id: id, recipient_version_id: version }) =>
    shown.some((payee) => payee.recipient_id === id && payee.recipient_version_id === version),
  );
