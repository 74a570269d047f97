import { useSyncExternalStore } from 'react';
import { useNow } from '../ui/Time.tsx';
import { relativeTime } from '../ui/time-words.ts';
import { type LiveState } from './stream.ts';
import styles from './LiveBadge.module.css';

type Feed = Readonly<{ state: LiveState; subscribe: (listener: () => void) => () => void }>;

/** Shows whether the page is following live events, when it last heard from the service, and a lost connection. */
export function LiveBadge({ feed }: Readonly<{ feed: Feed }>) {
  const { state, heardAt } = useSyncExternalStore(feed.subscribe, () => feed.state);
  const now = useNow(5_000);
  const heard =
    heardAt === undefined ? undefined : relativeTime(new Date(heardAt).toISOString(), Math.max(now, heardAt));
  return (
    <p className={`${styles['badge']} ${styles[state]}`} role="status" aria-label="Connection">
      {state === 'live' && <>Live · heard {heard}</>}
      {state === 'connecting' && 'Connecting…'}
      {state === 'lost' && <>Connection lost{heard === undefined ? '' : ` · last heard ${heard}`} · trying again</>}
    </p>
  );
}
