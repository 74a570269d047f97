import { useQuery } from '@tanstack/react-query';
import { type MerchantDomain } from '../../../sdk/src/types/merchant.ts';
import { Card, Facts, Row, Section } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Challenge } from './Challenge.tsx';

export function DomainCard({ domain }: Readonly<{ domain: MerchantDomain }>) {
  const { domain: name, status, method, verified_at } = domain;
  const isVerified = status === 'verified';
  return (
    <Card>
      <Section
        title={name}
        action={
          <Status tone={isVerified ? 'good' : 'warn'}>{isVerified ? 'Verified' : 'Waiting for the proof'}</Status>
        }
      >
        {isVerified ? (
          <Facts
            facts={[
              ['Proven by', method === 'dns' ? 'DNS record' : 'HTTPS file'],
              ['Proven', verified_at === null ? '' : <Time key="at" at={verified_at} />],
            ]}
          />
        ) : (
          <Pending domain={domain} />
        )}
      </Section>
    </Card>
  );
}

function Pending({ domain }: Readonly<{ domain: MerchantDomain }>) {
  const { client } = useMerchant();
  const { domain_id: id } = domain;
  const query = useQuery({ queryKey: ['domains', id], queryFn: ({ signal }) => client.domains.read(id, { signal }) });
  return (
    <Loaded query={query} lines={3}>
      {({ challenge }) =>
        challenge === null ? <Row>Verified</Row> : <Challenge domain={domain} challenge={challenge} />
      }
    </Loaded>
  );
}
