import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { LiveBadge } from '../../live/LiveBadge.tsx';
import { PageBoundary } from '../../live/PageBoundary.tsx';
import { type LiveFeed } from '../../live/stream.ts';
import { Button } from '../../ui/Button.tsx';
import icon from '../../ui/icon.svg';
import { route, Routes, usePlace } from '../../ui/router.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { SkipLink } from '../../ui/SkipLink.tsx';
import { followMerchant } from '../live.ts';
import { portalSession } from '../session.ts';
import { useMerchant } from '../use-merchant.ts';
import { Navigation } from './Navigation.tsx';
import { NotFound } from './NotFound.tsx';
import { SecretOnce } from './SecretOnce.tsx';
import { useAction } from './use-action.ts';
import styles from './Inside.module.css';

// Each page is loaded when it is first opened.
const Home = lazy(() => import('../home/Home.tsx'));
const Domains = lazy(() => import('../domains/Domains.tsx'));
const Payees = lazy(() => import('../recipients/Payees.tsx'));
const Payee = lazy(() => import('../recipients/Payee.tsx'));
const Agents = lazy(() => import('../agents/Agents.tsx'));
const Agent = lazy(() => import('../agents/Agent.tsx'));
const Payments = lazy(() => import('../payments/Payments.tsx'));
const Payment = lazy(() => import('../payments/Payment.tsx'));
const AgentPayments = lazy(() => import('../agent-payments/AgentPayments.tsx'));
const AgentPayment = lazy(() => import('../agent-payments/AgentPayment.tsx'));
const Webhooks = lazy(() => import('../webhooks/Webhooks.tsx'));
const Endpoint = lazy(() => import('../webhooks/Endpoint.tsx'));
const Policies = lazy(() => import('../policies/Policies.tsx'));
const Connections = lazy(() => import('../connections/Connections.tsx'));
const ApiKeys = lazy(() => import('../api-keys/ApiKeys.tsx'));
const Audit = lazy(() => import('../audit/Audit.tsx'));
const Organization = lazy(() => import('../organization/Organization.tsx'));

const routes = [
  route('/', () => <Home />),
  route('/domains', () => <Domains />),
  route('/payees', () => <Payees />),
  route('/payees/:id', ({ id }) => <Payee key={id} id={id} />),
  route('/agents', () => <Agents />),
  route('/agents/:id', ({ id }) => <Agent key={id} id={id} />),
  route('/payments', () => <Payments />),
  route('/payments/:id', ({ id }) => <Payment key={id} id={id} />),
  route('/agent-payments', () => <AgentPayments />),
  route('/agent-payments/:id', ({ id }) => <AgentPayment key={id} id={id} />),
  route('/webhooks', () => <Webhooks />),
  route('/webhooks/:id', ({ id }) => <Endpoint key={id} id={id} />),
  route('/policies', () => <Policies />),
  route('/connections', () => <Connections />),
  route('/api-keys', () => <ApiKeys />),
  route('/audit', () => <Audit />),
  route('/organization', () => <Organization />),
];

/** The frame of every page behind the sign-in. */
export function Inside() {
  const { merchant } = useMerchant();
  const { path } = usePlace();
  const feed = useFeed();
  const signOut = useAction(() => portalSession.signOut());
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // Keyboard and screen-reader users continue at the beginning of the new page.
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);

  return (
    <div className={styles['inside']}>
      <SkipLink main={main} />
      <header className={styles['side']}>
        <div className={styles['who']}>
          <img src={icon} alt="" width="28" height="28" />
          <strong>{merchant.name}</strong>
        </div>
        <Navigation />
        <div className={styles['foot']}>
          {feed !== undefined && <LiveBadge feed={feed} />}
          <Button size="small" isPending={signOut.isPending} onPress={() => signOut.run()}>
            Sign out
          </Button>
          {signOut.error !== undefined && <ErrorNotice error={signOut.error} />}
        </div>
      </header>
      <main ref={main} id="main" tabIndex={-1} className={styles['main']}>
        <PageBoundary key={path}>
          <Suspense fallback={<Skeleton lines={5} />}>
            <Routes routes={routes} otherwise={<NotFound />} />
          </Suspense>
        </PageBoundary>
      </main>
      <SecretOnce />
    </div>
  );
}

/** A merchant that is not active yet has no feed: nothing can happen to it except through this page. */
function useFeed(): LiveFeed<unknown> | undefined {
  const { client, merchant } = useMerchant();
  const queries = useQueryClient();
  const [feed, setFeed] = useState<LiveFeed<unknown>>();
  const { merchant_id: id, status } = merchant;
  useEffect(() => {
    if (status !== 'active') return;
    const opened = followMerchant(client, id, queries);
    setFeed(opened);
    return () => opened.stop();
  }, [client, id, status, queries]);
  return feed;
}
