import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Recipient } from '../../../sdk/src/types/merchant.ts';
import { Button } from '../../ui/Button.tsx';
import { Columns, PageHead } from '../../ui/Layout.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { useMerchant } from '../use-merchant.ts';
import { AddVersion } from './PayeeForms.tsx';
import { VersionCard } from './VersionCard.tsx';

export default function Payee({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['recipients', id],
    queryFn: ({ signal }) => client.recipients.read(id, { signal }),
  });
  if (isNotFound(query.error)) return <NotFound back="/payees" name="Payees" />;
  return <Loaded query={query}>{(payee) => <Detail payee={payee} />}</Loaded>;
}

function Detail({ payee }: Readonly<{ payee: Recipient }>) {
  const [isAdding, setAdding] = useState(false);
  const active = payee.versions.find(({ recipient_version_id: id }) => id === payee.active_version_id);
  const add = <Button onPress={() => setAdding(true)}>Add version</Button>;
  return (
    <>
      <PageHead title={payee.name} action={add}>
        {active === undefined
          ? 'Nobody can be asked to pay here yet: prove a version by one of your domains, then activate it.'
          : `Version ${active.number} is what people pay. Every payment keeps the version it was made with.`}
      </PageHead>
      <Columns>
        {[...payee.versions].reverse().map((version) => (
          <VersionCard key={version.recipient_version_id} payee={payee} version={version} active={active} />
        ))}
      </Columns>
      <AddVersion payee={payee} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}
