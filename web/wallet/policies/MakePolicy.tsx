import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type NewAutomationPolicy } from '../../../sdk/src/types/agent-payment.ts';
import { type Connection } from '../../../sdk/src/types/connect.ts';
import { serviceNow } from '../../live/clock.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { SelectField, TextField } from '../../ui/Field.tsx';
import { Form } from '../../ui/Form.tsx';
import { Notice } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { connectionsQuery } from '../connect/queries.ts';
import { useWallet } from '../device/use-wallet.ts';
import { PolicyWhatIf } from './PolicyWhatIf.tsx';
import { aboutIn, thresholdsIn } from './read-thresholds.ts';
import { ReplacedNotice, useReplaced } from './Replaced.tsx';
import { ThresholdFields, THRESHOLDS } from './ThresholdFields.tsx';
import { usePayees } from './use-payees.ts';

const FIELDS = ['connection_id', 'network', 'asset', ...THRESHOLDS];
const MONTH_MS = 30 * 24 * 3_600_000;

/** A policy that the person makes for one of their agents. */
export function MakePolicy({ onDone }: Readonly<{ onDone: () => void }>) {
  const { client } = useWallet();
  const once = useOnce();
  const replaced = useReplaced();
  const { data: connections } = useQuery(connectionsQuery(client));
  // Frozen when the form is opened: a connection that appears or disappears must not change the selection.
  const [offered, setOffered] = useState<readonly Connection[]>();
  if (offered === undefined && connections !== undefined) setOffered(connections);
  const usable = (offered ?? []).filter(({ status }) => status !== 'revoked');
  const [chosen, setChosen] = useState<string>();
  const [asset, setAsset] = useState('XLM');
  const [start] = useState(() => ({
    valid_from: new Date(serviceNow()).toISOString(),
    valid_until: new Date(serviceNow() + MONTH_MS).toISOString(),
  }));
  const known = usePayees();
  const connectionId = chosen ?? usable[0]?.connection_id;
  const payees = known.filter((payee) => payee.connectionId === connectionId);

  const submit = async (form: FormData): Promise<void> => {
    const policy = { ...aboutIn(form), ...thresholdsIn(form) };
    // If something is missing, the service reports it at its field.
    const isDone = await replaced.attempt((named) =>
      once.send({ ...policy, ...named } as NewAutomationPolicy, (...sent) => client.createPolicy(...sent)),
    );
    if (isDone) onDone();
  };

  if (offered === undefined) return <Skeleton />;
  if (usable.length === 0) return <Notice>Connect an agent first: a policy is always for one of them.</Notice>;
  return (
    <Form onSubmit={submit} fields={FIELDS} label="Make policy">
      {({ isPending }) => (
        <>
          <SelectField
            label="Connection"
            name="connection_id"
            value={connectionId}
            onChange={({ target }) => setChosen(target.value)}
          >
            {usable.map(({ agreed_names, ...one }) => (
              <option key={one.connection_id} value={one.connection_id}>
                {(agreed_names ?? one).agent_name} · {(agreed_names ?? one).merchant_name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Network" name="network" defaultValue="stellar_testnet">
            <option value="stellar_testnet">Stellar testnet</option>
          </SelectField>
          <TextField label="Asset" name="asset" value={asset} onChange={({ target }) => setAsset(target.value)} />
          <ThresholdFields key={connectionId} asset={asset} start={start} payees={payees} />
          <PolicyWhatIf />
          <ReplacedNotice id={replaced.id} />
          <DialogEnd>
            <Button type="submit" look="main" isPending={isPending}>
              {replaced.id === undefined ? 'Make policy' : 'Replace and make policy'}
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}
