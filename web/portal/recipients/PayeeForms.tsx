import { useState } from 'react';
import { type Recipient, type RecipientVersion } from '../../../sdk/src/types/merchant.ts';
import { type Network } from '../../../sdk/src/types/network.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useNetworks } from '../shell/use-networks.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { FACT_FIELDS, FactFields, type Facts, factsFor, sentFacts } from './FactFields.tsx';

type Open = Readonly<{ isOpen: boolean; onClose: () => void }>;

export function AddPayee({ isOpen, onClose, onAdded }: Open & Readonly<{ onAdded: (id: string) => void }>) {
  const networks = useNetworks();
  return (
    <Dialog title="Add payee" isOpen={isOpen} onClose={onClose}>
      <Loaded query={networks}>{(known) => <NewPayee networks={known} onClose={onClose} onAdded={onAdded} />}</Loaded>
    </Dialog>
  );
}

function NewPayee({
  networks,
  onClose,
  onAdded,
}: Readonly<{ networks: readonly Network[]; onClose: () => void; onAdded: (id: string) => void }>) {
  const { client } = useMerchant();
  const once = useOnce();
  const [facts, setFacts] = useState(() => startOf(networks));
  const add = async (form: FormData): Promise<void> => {
    const input = { name: textIn(form, 'name'), ...sentFacts(facts, networkOf(networks, facts)) };
    const { recipient } = await once.send(input, (...sent) => client.recipients.create(...sent));
    changed('recipients');
    onClose();
    onAdded(recipient.recipient_id);
  };
  return (
    <Form fields={['name', ...FACT_FIELDS]} onSubmit={add}>
      {({ isPending }) => (
        <>
          <TextField label="Name" name="name" hint="People see it before they pay." />
          <FactFields networks={networks} facts={facts} onChange={setFacts} />
          <FormEnd name="Add payee" isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

export function AddVersion({ isOpen, onClose, payee }: Open & Readonly<{ payee: Recipient }>) {
  const networks = useNetworks();
  return (
    <Dialog title="Add version" isOpen={isOpen} onClose={onClose}>
      <p>Other facts for {payee.name}. The active version stays in force until you activate this one.</p>
      <Loaded query={networks}>{(known) => <NewVersion networks={known} payee={payee} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

function NewVersion({
  networks,
  payee,
  onClose,
}: Readonly<{ networks: readonly Network[]; payee: Recipient; onClose: () => void }>) {
  const { client } = useMerchant();
  const once = useOnce();
  const [facts, setFacts] = useState(() => factsOf(payee.versions.at(-1)) ?? startOf(networks));
  const add = async (): Promise<void> => {
    const same = sentFacts(facts, networkOf(networks, facts));
    const input = { ...same, version: payee.version };
    await once.send(input, (...sent) => client.recipients.addVersion(payee.recipient_id, ...sent), same);
    changed('recipients');
    onClose();
  };
  return (
    <Form fields={[...FACT_FIELDS]} onSubmit={add}>
      {({ isPending }) => (
        <>
          <FactFields networks={networks} facts={facts} onChange={setFacts} />
          <FormEnd name="Add version" isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

const FormEnd = ({ name, isPending, onClose }: Readonly<{ name: string; isPending: boolean; onClose: () => void }>) => (
  <DialogEnd>
    <Button onPress={onClose}>Cancel</Button>
    <Button type="submit" look="main" isPending={isPending}>
      {name}
    </Button>
  </DialogEnd>
);

/** The first enabled network: the one most people need. */
function startOf(networks: readonly Network[]): Facts {
  const first = networks.find(({ enabled }) => enabled) ?? networks[0];
  if (first === undefined) throw new Error('the service has no networks');
  return factsFor(first);
}

function networkOf(networks: readonly Network[], facts: Facts): Network {
  const found = networks.find(({ network }) => network === facts.network);
  if (found === undefined) throw new Error(`unknown network ${facts.network}`);
  return found;
}

const factsOf = (version: RecipientVersion | undefined): Facts | undefined =>
  version && {
    network: version.network,
    asset: version.asset,
    address: version.address,
    memo: version.memo ?? '',
    contract: version.contract ?? '',
    issuer: version.issuer ?? '',
  };
