import { type Review } from '../../../sdk/src/types/review.ts';
import { Facts, Section } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';

/** What the log knows about the payee, the agent and the connection. */
export function Known({ review }: Readonly<{ review: Review | undefined }>) {
  if (review === undefined) return null;
  const {
    confirmed_payments: count,
    last_confirmed_at: last,
    recipient_version,
    domain,
    agent,
    connection,
  } = review.facts;
  const since = (at: string | null | undefined): React.ReactNode => (at ? <Time at={at} /> : 'unknown');
  return (
    <Section title="What is known">
      <Facts
        facts={[
          [
            'You have paid it',
            <span key="paid">
              {count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`}
              {last !== null && <>, last {since(last)}</>}
            </span>,
          ],
          ['Address in use since', since(recipient_version?.activated_at)],
          ['Domain proven', since(domain?.proven_at)],
          ['Agent’s key since', since(agent?.credential_since)],
          ['Connected', since(connection?.created_at)],
        ]}
      />
    </Section>
  );
}
