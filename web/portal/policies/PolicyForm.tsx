import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { type AutomationPolicy, type Thresholds } from '../../../sdk/src/types/agent-payment.ts';
import { type Recipient } from '../../../sdk/src/types/merchant.ts';
import { serviceNow } from '../../live/clock.ts';
import { isCode } from '../../live/errors.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/Field.tsx';
import { fromFieldOf, toField } from '../../ui/field-times.ts';
import { Form, textIn } from '../../ui/Form.tsx';
import { policiesWithPast } from '../../ui/simulation.ts';
import { toast } from '../../ui/Toast.tsx';
import { WhatIf } from '../../ui/WhatIf.tsx';
import { allOf } from '../../live/all-of.ts';
import { Loaded } from '../shell/Loaded.tsx';
import { useNetworks } from '../shell/use-networks.ts';
import { changed, useMerchant } from '../use-merchant.ts';

const DAY_MS = 24 * 3_600_000;
const FIELDS = [
  'connection_id',
  'network',
  'asset',
  'single_tx_limit',
  'cumulative_limit',
  'valid_from',
  'valid_until',
  'allowlist',
];

type Times = Pick<Thresholds, 'valid_from' | 'valid_until'>;

/**
 * The form's values, with the times of the policy where they were not changed. An invalid time, such as a five-digit
 * year, is sent as typed: the service reports the problem at its field.
 */
function thresholdsIn(form: FormData, before?: Times): Thresholds {
  const momentIn = (name: keyof Times): string => {
    const text = textIn(form, name);
    return fromFieldOf(before?.[name], text) ?? text;
  };
  return {
    single_tx_limit: textIn(form, 'single_tx_limit'),
    cumulative_limit: textIn(form, 'cumulative_limit'),
    valid_from: momentIn('valid_from'),
    valid_until: momentIn('valid_until'),
    allowlist: form.getAll('allowlist') as string[],
  };
}

const aboutIn = (form: FormData) => ({
  connection_id: textIn(form, 'connection_id'),
  network: textIn(form, 'network'),
  asset: textIn(form, 'asset'),
});

type Props = Readonly<{ policy: 'new' | AutomationPolicy | undefined; onClose: () => void }>;

export function PolicyForm({ policy, onClose }: Props) {
  const title = policy === 'new' ? 'Propose policy' : 'Change policy';
  return (
    <Dialog title={title} isOpen={policy !== undefined} onClose={onClose}>
      <p>
        All four limits hold together.{' '}
        {policy === 'new'
          ? 'It takes effect once the person agrees; they may tighten the limits.'
          : 'A change needs the person’s agreement again.'}
      </p>
      {policy !== undefined && <Fields policy={policy === 'new' ? undefined : policy} onClose={onClose} />}
    </Dialog>
  );
}

function Fields({ policy, onClose }: Readonly<{ policy: AutomationPolicy | undefined; onClose: () => void }>) {
  const { client } = useMerchant();
  const once = useOnce();
  const networks = useNetworks();
  const choices = useQuery({
    queryKey: ['policies', 'choices'],
    // Frozen when the form is opened: if the chosen connection left the list, the browser would select another.
    structuralSharing: (before, now) => before ?? now,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const [connections, recipients, policies] = await Promise.all([
        allOf(
          (page) => client.connections.list(page, { signal }),
          (answer) => answer.connections,
        ),
        allOf(
          (page) => client.recipients.list(page, { signal }),
          (answer) => answer.recipients,
        ),
        allOf(
          (page) => client.policies.list(page, { signal }),
          (answer) => answer.automation_policies,
        ),
      ]);
      return {
        policies,
        connections: connections.filter(({ status }) => status === 'active'),
        recipients,
      };
    },
  });
  /** Payees already on the list stay on it, active or not: changing a limit must not remove one unnoticed. */
  const isOffered = ({ recipient_id: id, active_version_id: active }: Recipient): boolean =>
    active !== null || (policy?.allowlist.includes(id) ?? false);
  /** The version that was on screen or, once a conflict was reported, the one that caused it. */
  const version = useRef(policy?.version ?? 0);
  const change = async (id: string, thresholds: Thresholds): Promise<void> => {
    try {
      await client.policies.change(id, { version: version.current, ...thresholds });
    } catch (error) {
      if (isCode(error, 'version_conflict')) version.current = Number(error.details['current_version']);
      throw error;
    }
  };
  const send = async (form: FormData): Promise<void> => {
    const thresholds = thresholdsIn(form, policy);
    const proposal = { ...aboutIn(form), ...thresholds };
    if (policy === undefined) await once.send(proposal, (...sent) => client.policies.create(...sent));
    else await change(policy.id, thresholds);
    changed('policies');
    toast('The proposal is with the person who decides.');
    onClose();
  };
  return (
    <Loaded query={choices}>
      {({ connections, recipients, policies }) => (
        <Form fields={FIELDS} onSubmit={send}>
          {({ isPending }) => (
            <>
              {policy === undefined && (
                <>
                  <SelectField label="Connection" name="connection_id">
                    {connections.map(({ connection_id, agent_name }) => (
                      <option key={connection_id} value={connection_id}>
                        {agent_name} · {connection_id}
                      </option>
                    ))}
                  </SelectField>
                  <SelectField label="Network" name="network">
                    {(networks.data ?? [])
                      .filter(({ testnet }) => testnet)
                      .map(({ network, title }) => (
                        <option key={network} value={network}>
                          {title}
                        </option>
                      ))}
                  </SelectField>
                  <TextField label="Asset" name="asset" defaultValue="XLM" />
                </>
              )}
              <TextField
                label="Single tx limit"
                name="single_tx_limit"
                inputMode="decimal"
                defaultValue={policy?.single_tx_limit}
                hint="The maximum for one payment"
              />
              <TextField
                label="Cumulative limit"
                name="cumulative_limit"
                inputMode="decimal"
                defaultValue={policy?.cumulative_limit}
                hint="The maximum for all of them together"
              />
              <TextField
                label="Valid from"
                name="valid_from"
                type="datetime-local"
                defaultValue={toField(policy?.valid_from ?? serviceNow())}
              />
              <TextField
                label="Valid until"
                name="valid_until"
                type="datetime-local"
                defaultValue={toField(policy?.valid_until ?? serviceNow() + 30 * DAY_MS)}
              />
              <CheckField
                label="Allowlist"
                name="allowlist"
                hint="Only these payees may be paid."
                choices={recipients
                  .filter(isOffered)
                  .map(({ recipient_id, name }) => ({ value: recipient_id, label: name }))}
                {...(policy === undefined ? {} : { chosen: policy.allowlist })}
              />
              <WhatIf
                ownId={policy?.id}
                policyIds={(form) => policiesWithPast(policies, policy ?? aboutIn(form))}
                simulate={(id, question, options) => client.policies.simulate(id, question, options)}
                read={(form) => thresholdsIn(form, policy)}
                asset={policy?.asset}
                whom="the person"
              />
              <DialogEnd>
                <Button onPress={onClose}>Cancel</Button>
                <Button type="submit" look="main" isPending={isPending}>
                  {policy === undefined ? 'Propose policy' : 'Change policy'}
                </Button>
              </DialogEnd>
            </>
          )}
        </Form>
      )}
    </Loaded>
  );
}
