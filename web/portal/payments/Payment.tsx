import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PaymentRequest, type RequestWithContext } from '../../../sdk/src/types/payment.ts';
import { AgentWords } from '../../ui/AgentWords.tsx';
import { Amount } from '../../ui/Amount.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Muted, Notice, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { Seal } from '../../ui/Settlement.tsx';
import { Countdown } from '../../ui/Time.tsx';
import { exactTime } from '../../ui/time-words.ts';
import { toast } from '../../ui/Toast.tsx';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { useAction } from '../shell/use-action.ts';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { useMerchant } from '../use-merchant.ts';
import { Moment } from './Moment.tsx';
import { PaymentFactList } from './PaymentFactList.tsx';
import { PaymentSettlement } from './PaymentSettlement.tsx';
import { PaymentTimeline } from './PaymentTimeline.tsx';
import { PaymentWebhooks } from './PaymentWebhooks.tsx';
import { Proof } from './Proof.tsx';
import { requestPlace } from './use-same-transaction.ts';
import { useTimeline } from './use-timeline.ts';
import styles from './Payments.module.css';

export default function Payment({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['payments', 'one', id],
    queryFn: ({ signal }) => client.payments.readWithContext(id, { signal }),
  });
  if (isNotFound(query.error)) return <NotFound back="/payments" name="Payments" />;
  return <Loaded query={query}>{(read) => <Detail {...read} />}</Loaded>;
}

function Detail({ payment_request: payment, transaction_context: context, newer_revision }: RequestWithContext) {
  const { client } = useMerchant();
  const { request_id: id } = payment;
  const timeline = useTimeline(id);
  /** The selected moment; undefined means now. */
  const [asOf, setAsOf] = useState<string>();
  const then = useQuery({
    queryKey: ['payments', 'as-of', id, asOf],
    queryFn: ({ signal }) => client.payments.read(id, asOf === undefined ? {} : { as_of: asOf }, { signal }),
    enabled: asOf !== undefined,
    staleTime: Infinity,
    // The previous moment stays until this one has loaded, so that nothing jumps; the heading waits for the new one.
    placeholderData: (before) => before,
  });
  const shown = asOf === undefined ? { ...then, data: payment, isPlaceholderData: false } : then;
  const ofNow = asOf !== undefined && <Muted>The current state, whichever point in time is selected.</Muted>;
  return (
    <>
      <Head payment={payment} shown={shown.isPlaceholderData ? undefined : shown.data} asOf={asOf} />
      {asOf === undefined && <Ended payment={payment} />}
      <Moment payment={payment} moments={timeline.data ?? []} asOf={asOf} onChange={setAsOf} />
      <div className={styles['columns']}>
        <div className={styles['side']}>
          <Section title="Facts">
            <Card>
              <Loaded query={shown}>{(seen) => <PaymentFactList payment={seen} />}</Loaded>
            </Card>
          </Section>
          <AgentWords
            agentName={String(payment.source['agent_name'])}
            context={context}
            toldSince={newer_revision !== undefined}
            display={payment.display}
            metadata={payment.metadata}
          />
          {shown.data !== undefined && (
            <PaymentSettlement
              payment={shown.data}
              place={requestPlace(id)}
              lookAgainAt={asOf === undefined ? id : undefined}
            />
          )}
          <Section title="Proof">
            {ofNow}
            <Proof id={id} />
          </Section>
        </div>
        <div className={styles['side']}>
          <Section title="Timeline">
            <Card>
              <Loaded query={timeline}>{(entries) => <PaymentTimeline entries={entries} until={asOf} />}</Loaded>
            </Card>
          </Section>
        </div>
      </div>
      <Section title="Webhooks">
        {ofNow}
        <PaymentWebhooks id={id} />
      </Section>
    </>
  );
}

const TAKEN_BACK_BY = { agent: 'The agent', merchant: 'An operator', service: 'The service' } as const;

/** What a status alone does not say: that it can be taken back, that it was, and that money may have moved late. */
function Ended({ payment }: Readonly<{ payment: PaymentRequest }>) {
  const { status, late, withdrawn_by: by, withdrawn_reason: reason } = payment;
  return (
    <>
      {status === 'pending' && <Withdraw id={payment.request_id} />}
      {by !== undefined && (
        <Notice title="Withdrawn">
          {TAKEN_BACK_BY[by]} took it back before anybody signed{reason === undefined ? '' : `: ${reason}`}. Nothing is
          paid.
        </Notice>
      )}
      {late !== undefined && (
        <Notice tone="warn" title="Money may have moved after it had ended">
          The wallet reported transaction {late.transaction_hash} as {late.status} on {exactTime(late.reported_at)}. See
          Settlement, and settle it with the payer.
        </Notice>
      )}
    </>
  );
}

function Withdraw({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const withdraw = useAction(async () => {
    await client.payments.withdraw(id);
    toast('Withdrawn: nobody can sign it any more.');
  });
  return (
    <Row>
      {withdraw.error !== undefined && <ErrorNotice error={withdraw.error} />}
      <Button size="small" isPending={withdraw.isPending} onPress={() => withdraw.run()}>
        Withdraw
      </Button>
    </Row>
  );
}

type HeadProps = Readonly<{
  payment: PaymentRequest;
  /** As it was at the selected moment, once that has loaded. */
  shown: PaymentRequest | undefined;
  asOf: string | undefined;
}>;

function Head({ payment, shown, asOf }: HeadProps) {
  const networkName = useNetworkName();
  const { amount, asset, network } = payment.payment;
  return (
    <PageHead
      title={payment.request_id}
      action={
        shown && (
          <>
            <StatusWord status={shown.status} />
            <Seal settlement={shown.settlement} isContested={shown.contested} />
            {asOf !== undefined && <Muted>on {exactTime(asOf)}</Muted>}
          </>
        )
      }
    >
      <Amount amount={amount} asset={asset} network={networkName(network)} /> to {payment.payee.name}
      {payment.status === 'pending' && asOf === undefined && (
        <>
          {' '}
          · waits for <Countdown until={payment.expires_at} over="a moment" /> more
        </>
      )}
    </PageHead>
  );
}
