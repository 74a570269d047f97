import { useQuery } from '@tanstack/react-query';
import { type MerchantDomain } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts, Notice, Row, Section } from '../../ui/Layout.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { Challenge, Difference } from './Challenge.tsx';

const WORDS: Readonly<Record<MerchantDomain['status'], readonly [string, Tone]>> = {
  pending: ['Waiting for the proof', 'warn'],
  verified: ['Verified', 'good'],
  superseded: ['Superseded', 'bad'],
  given_up: ['Given up', 'calm'],
};

export function DomainCard({ domain }: Readonly<{ domain: MerchantDomain }>) {
  const { domain: name, status } = domain;
  const [word, tone] = WORDS[status];
  return (
    <Card>
      <Section title={name} action={<Status tone={tone}>{word}</Status>}>
        {status === 'pending' && <Pending domain={domain} />}
        {status === 'verified' && <Verified domain={domain} />}
        {status === 'superseded' && <Superseded domain={domain} />}
        {status === 'given_up' && <GivenUp domain={domain} />}
      </Section>
    </Card>
  );
}

type Props = Readonly<{ domain: MerchantDomain }>;

function Verified({ domain }: Props) {
  const { method, verified_at, last_seen_at } = domain;
  return (
    <>
      <Facts
        facts={[
          ['Proven by', method === 'dns' ? 'DNS record' : 'HTTPS file'],
          ['Proven', verified_at === null ? '' : <Time key="at" at={verified_at} />],
          ['Last seen', last_seen_at === undefined ? '' : <Time key="seen" at={last_seen_at} />],
        ]}
      />
      <p>
        Leave the {method === 'dns' ? 'record' : 'file'} there: it is looked for once a week, and vouches for no new
        version of a payee once it has not been seen for 30 days.
      </p>
      <CheckNow domain={domain} />
    </>
  );
}

function Superseded({ domain }: Props) {
  const { domain: name, superseded_at, method } = domain;
  return (
    <>
      <Notice tone="bad">
        Another merchant has proven {name} since
        {superseded_at !== undefined && (
          <>
            {' '}
            (<Time at={superseded_at} />)
          </>
        )}
        . People who are asked to pay you are warned. If the domain is yours, look at who may edit its{' '}
        {method === 'dns' ? 'records' : 'files'}, then check again: what you published proves it once more.
      </Notice>
      <CheckNow domain={domain} />
      <RegisterAgain domain={domain} action="Get a new challenge" />
    </>
  );
}

const GivenUp = ({ domain }: Props) => (
  <>
    <p>
      You do without it
      {domain.given_up_at !== undefined && (
        <>
          {' '}
          since <Time at={domain.given_up_at} />
        </>
      )}
      . Payees that it vouched for are shown as unproven.
    </p>
    <RegisterAgain domain={domain} action="Register again" />
  </>
);

function CheckNow({ domain }: Props) {
  const { client } = useMerchant();
  const { domain_id: id, domain: name } = domain;
  const check = useAction(async () => {
    await client.domains.verify(id);
    toast(`The proof of ${name} was seen.`);
    changed('domains', 'recipients');
  });
  return (
    <>
      <Row>
        <Button isPending={check.isPending} onPress={() => check.run()}>
          Check now
        </Button>
        <Confirm
          action="Give up"
          title={`Give up ${name}`}
          look="quiet"
          onConfirm={async () => {
            await client.domains.giveUp(id);
            toast(`${name} is given up.`);
            changed('domains', 'recipients');
          }}
        >
          <p>
            {name} vouches for none of your payees any more. They stay active, and people who are asked to pay them see
            that they are not proven.
          </p>
        </Confirm>
      </Row>
      {check.error !== undefined && <Difference error={check.error} />}
    </>
  );
}

function RegisterAgain({ domain, action }: Props & Readonly<{ action: string }>) {
  const { client } = useMerchant();
  const { domain: name, method } = domain;
  const register = useAction(async () => {
    await client.domains.create({ domain: name, method });
    changed('domains');
  });
  return (
    <>
      <Row>
        <Button look="quiet" isPending={register.isPending} onPress={() => register.run()}>
          {action}
        </Button>
      </Row>
      {register.error !== undefined && <ErrorNotice error={register.error} />}
    </>
  );
}

function Pending({ domain }: Props) {
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
