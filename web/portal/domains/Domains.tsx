import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { AddDomain } from './AddDomain.tsx';
import { DomainCard } from './DomainCard.tsx';

export default function Domains() {
  const { client } = useMerchant();
  const [isAdding, setAdding] = useState(false);
  const query = usePages(['domains'], async (cursor, signal) => {
    const page = await client.domains.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.domains, next: page.next_cursor };
  });
  const add = (
    <Button look="main" onPress={() => setAdding(true)}>
      Add domain
    </Button>
  );
  return (
    <>
      <PageHead title="Domains" action={add}>
        A domain that you have proven stands beside your name wherever somebody decides about a payment.
      </PageHead>
      <Loaded query={query}>
        {(domains) =>
          domains.length === 0 ? (
            <Empty title="No domain yet">
              Add the one your customers know you by, then publish a record or a file.
            </Empty>
          ) : (
            <Stack>
              {domains.map((domain) => (
                <DomainCard key={domain.domain_id} domain={domain} />
              ))}
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <AddDomain isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}
