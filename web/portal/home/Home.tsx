import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../ui/Button.tsx';
import { PageHead, Section } from '../../ui/Layout.tsx';
import { PaymentTable } from '../payments/PaymentTable.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Checklist } from './Checklist.tsx';
import { Figures } from './Figures.tsx';
import { type Progress, useProgress } from './use-progress.ts';

/** The most recent payments, updated live. */
function Newest() {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['payments', 'newest'],
    queryFn: async ({ signal }) => (await client.payments.list({ limit: 8 }, { signal })).payment_requests,
  });
  return (
    <Section title="Newest payments" action={<LinkButton to="/payments">All payments</LinkButton>}>
      <Loaded query={query}>{(payments) => <PaymentTable payments={payments} />}</Loaded>
    </Section>
  );
}

function leadOf(isActive: boolean, done: Progress | undefined): string {
  if (!isActive) return 'A few steps until agents can ask for payments in your name.';
  const isLeft = done !== undefined && Object.values(done).includes(false);
  return isLeft ? 'What is happening right now, and what is left to set up.' : 'What is happening right now.';
}

/** What is left to set up and, once the merchant is active, the current figures. */
export default function Home() {
  const { merchant } = useMerchant();
  const progress = useProgress();
  return (
    <>
      <PageHead title="Home">{leadOf(merchant.status === 'active', progress.data)}</PageHead>
      {merchant.status === 'active' && <Figures />}
      <Loaded query={progress} lines={6}>
        {(done) => (
          <>
            <Checklist done={done} />
            {done.wallet && <Newest />}
          </>
        )}
      </Loaded>
    </>
  );
}
