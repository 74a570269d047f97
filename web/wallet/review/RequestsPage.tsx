import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { LinkButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { PaymentList } from './PaymentList.tsx';
import { paymentsQuery } from './queries.ts';

export function RequestsPage() {
  const { client } = useWallet();
  const { data, error, refetch } = useQuery(paymentsQuery(client));
  return (
    <>
      <PageHead title="Requests">What agents ask you to pay. New requests appear by themselves.</PageHead>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.length === 0 && (
        <Empty
          title="Nothing waits for you"
          action={
            <LinkButton to="/connections" look="main">
              Connect an agent
            </LinkButton>
          }
        >
          Once an agent is connected, what it asks for appears here.
        </Empty>
      )}
      {data && data.length > 0 && <PaymentList label="Requests" payments={data} empty="" />}
    </>
  );
}
