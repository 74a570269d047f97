import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Settlement as Seen } from '../../../sdk/src/types/payment.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { isCode } from '../../live/errors.ts';
import { AgentWords } from '../../ui/AgentWords.tsx';
import { Card, Muted, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { usePlace } from '../../ui/router.tsx';
import { Seal, Settlement } from '../../ui/Settlement.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Status } from '../../ui/Status.tsx';
import { Countdown } from '../../ui/Time.tsx';
import { network } from '../device/network.ts';
import { useWallet } from '../device/use-wallet.ts';
import { NotFound } from '../NotFound.tsx';
import { outboxView } from './approve.ts';
import { Decide } from './Decide.tsx';
import { Known } from './Known.tsx';
import { Notices } from './Notices.tsx';
import { OnItsWay } from './OnItsWay.tsx';
import { OtherWallet } from './OtherWallet.tsx';
import { type PaymentKind, paymentKey } from './outbox.ts';
import { PaymentFacts } from './PaymentFacts.tsx';
import { PaymentStatus } from './PaymentStatus.tsx';
import { isByPolicy, type Payment } from './payments.ts';
import { reviewQuery, type Reviewed } from './queries.ts';
import { WhichOne } from './WhichOne.tsx';

export function ReviewPage({ kind, id }: Readonly<{ kind: PaymentKind; id: string }>) {
  const { client } = useWallet();
  const connectionId = usePlace().query.get('connection') ?? undefined;
  const { data, error, refetch } = useQuery(reviewQuery(client, kind, id, connectionId));
  if (isCode(error, 'resource_not_found')) return <NotFound />;
  if (isCode(error, 'ambiguous_request_id')) return <WhichOne id={id} among={error.details['connection_ids']} />;
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {/* Two merchants may use the same id: nothing that was typed for one request may stay for the other. */}
      <Review key={paymentKey(data.payment)} {...data} />
    </>
  );
}

function Review({ payment, context, toldSince }: Reviewed) {
  const signed = useSyncExternalStore(outboxView.subscribe, () => outboxView.payments.get(paymentKey(payment)));
  const waits = payment.status === 'pending' && signed === undefined;
  // Another wallet may have paid it all the same. The service records the hash, and what was typed already stays.
  const isTooLate = payment.status === 'expired' && signed?.way !== 'network';
  // With a network server the steps after the decision follow automatically, and must not move the focus of a reader.
  useOutcomeInSight(network === undefined ? `${waits} ${payment.status}` : String(waits));
  return (
    <>
      <PageHead title={`Pay ${payment.facts.amount} ${payment.facts.asset}`}>
        <Row>
          <PaymentStatus status={payment.status} />
          {isByPolicy(payment) && <Status tone="calm">By policy</Status>}
          <Seal settlement={payment.settlement} isContested={payment.contested} />
          {payment.status === 'pending' && (
            <Muted>
              ends in <Countdown until={payment.expiresAt} />
            </Muted>
          )}
        </Row>
      </PageHead>
      {waits && <Notices payment={payment} />}
      {!waits && <OnItsWay payment={payment} signed={signed} />}
      {!waits && payment.status === 'signed' && signed?.way !== 'network' && <OtherWallet payment={payment} />}
      <PaymentFacts payment={payment} />
      {payment.settlement !== null && <Settled payment={payment} settlement={payment.settlement} />}
      <AgentWords agentName={payment.agentName} context={context} toldSince={toldSince} display={payment.display} />
      {waits && <Known review={payment.review} />}
      {waits && <Decide payment={payment} />}
      {(waits || isTooLate) && <OtherWallet payment={payment} />}
    </>
  );
}

/**
 * The pressed button disappears with its step, and the focus with it; on a phone it was far below the new content. So
 * the focus moves to the beginning of the page, where the outcome is.
 */
function useOutcomeInSight(step: string): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    if (document.activeElement !== document.body) return;
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [step]);
}

type SettledProps = Readonly<{ payment: Payment; settlement: Seen }>;

/** Whether the network shows what was asked for, as seen by the service. */
const Settled = ({ payment: { facts, ledger }, settlement }: SettledProps) => (
  <Section title="Settlement">
    <Card>
      <Settlement
        settlement={settlement}
        facts={facts}
        ledger={ledger}
        advice={settlement.verdict === 'differs' ? 'Talk to the payee before you pay again.' : ''}
      />
    </Card>
  </Section>
);
