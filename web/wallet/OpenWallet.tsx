import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { LiveBadge } from '../live/LiveBadge.tsx';
import { PageBoundary } from '../live/PageBoundary.tsx';
import { LiveFeed } from '../live/stream.ts';
import { Notice } from '../ui/Layout.tsx';
import { hrefOf, route, Routes, usePlace } from '../ui/router.tsx';
import { SkipLink } from '../ui/SkipLink.tsx';
import { type Unlocked, wallet } from './device/wallet.ts';
import { UnlockedContext } from './device/use-wallet.ts';
import { DevicePage } from './device/DevicePage.tsx';
import { ConnectionPage } from './connections/ConnectionPage.tsx';
import { ConnectionsPage } from './connections/ConnectionsPage.tsx';
import { KeysPage } from './keys/KeysPage.tsx';
import { KeepWords } from './keys/KeepWords.tsx';
import { Navigation } from './Navigation.tsx';
import { NotFound } from './NotFound.tsx';
import { PoliciesPage } from './policies/PoliciesPage.tsx';
import { RequestsPage } from './review/RequestsPage.tsx';
import { ReviewPage } from './review/ReviewPage.tsx';
import { resume } from './review/approve.ts';
import { isCode } from '../live/errors.ts';
import styles from './OpenWallet.module.css';

const ROUTES = [
  route('/', () => <RequestsPage />),
  route('/requests', () => <RequestsPage />),
  route('/requests/:id', ({ id }) => <ReviewPage kind="request" id={id} />),
  route('/agent-payments/:id', ({ id }) => <ReviewPage kind="agent_payment" id={id} />),
  route('/connections', () => <ConnectionsPage />),
  route('/connections/:id', ({ id }) => <ConnectionPage id={id} />),
  route('/policies', () => <PoliciesPage />),
  route('/keys', () => <KeysPage />),
  route('/device', () => <DevicePage />),
];

export function OpenWallet({ unlocked }: Readonly<{ unlocked: Unlocked }>) {
  const { feed, isRefused } = useDeviceFeed(unlocked);
  const { path } = usePlace();
  const { ended, record } = unlocked;
  useEffect(() => {
    void resume(unlocked);
    // Once per unlock; a change to the record must not start it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [ended]);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // Keyboard and screen-reader users continue at the beginning of the new page.
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);
  if (!record.wordsKept) return <KeepWords />;
  return (
    <UnlockedContext value={unlocked}>
      <div className={styles['frame']}>
        <SkipLink main={main} />
        <Navigation badge={feed && <LiveBadge feed={feed} />} />
        <main ref={main} id="main" tabIndex={-1} className={styles['page']}>
          {isRefused && (
            <Notice tone="bad" title="The service no longer accepts this device">
              Your key is still here. First write down your words: the <a href={hrefOf('/keys')}>Keys page</a> shows
              them. To be asked for payments again, remove this device, set it up with those words, and connect your
              agents again.
            </Notice>
          )}
          <PageBoundary key={path}>
            <Routes routes={ROUTES} otherwise={<NotFound />} />
          </PageBoundary>
        </main>
      </div>
    </UnlockedContext>
  );
}

/** Every event that concerns this device makes the pages refetch. */
function useDeviceFeed({ client, ended, record }: Unlocked) {
  const queries = useQueryClient();
  const [feed, setFeed] = useState<LiveFeed<unknown>>();
  const [isRefused, setRefused] = useState(false);
  // A feed that was refused with the old token begins again with the new one.
  const token = String(record.device.iv);
  useEffect(() => {
    const refetch = (): void =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'network' });
    const opened = new LiveFeed<unknown>({
      name: `wallet-${client.deviceId}`,
      open: (since, signal) => client.openDeviceEvents(since, signal),
      newest: async (signal) => (await client.pollDeviceEvents({ limit: 1 }, { signal })).newest_cursor,
      onEvent: refetch,
      onCaughtUp: refetch,
      onRefused: (error) => {
        if (!isCode(error, 'invalid_token', 'unauthenticated')) return;
        setRefused(true);
        void wallet.tokenRefused();
      },
    });
    setFeed(opened);
    setRefused(false);
    return () => opened.stop();
  }, [client, ended, queries, token]);
  return { feed, isRefused };
}
