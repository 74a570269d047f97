import { useSyncExternalStore } from 'react';
import { useNow } from '../ui/Time.tsx';
import { relativeTime } from '../ui/time-words.ts';
import { type LiveState } from './stream.ts';
import styles from './LiveBadge.module.css';

type Feed = Readonly<{ state: LiveState; subscribe: (listener: () => void) => () => void }>;

/** Shows whether the page is following live events, when it last heard from the service, and a lost connection. */
export function LiveBadge({ feed }: Readonly<{ feed: Feed }>) {
  const { state, heardAt } = useSyncExternalStore(feed.subscribe, () => feed.state);
  useNow(5_000);
  // Use the device's clock, as heardAt does, not the service's.
  const now = Math.max(Date.now(), heardAt ?? 0);
  const heard = heardAt === undefined ? undefined : relativeTime(new Date(heardAt).toISOString(), now);
  return (
    <p className={`${styles['badge']} ${styles[state]}`} role="status" aria-label="Connection">
      {/* One element: the gap between the light and the words is not one between the words. */}
      <span>
        {state === 'live' && (
          <>
            Live<Heard>{` · heard ${heard}`}</Heard>
          </>
        )}
        {state === 'connecting' && 'Connecting…'}
        {state === 'lost' && (
          <>Connection lost{heard !== undefined && <Heard>{` · last heard ${heard}`}</Heard>} · trying again</>
        )}
      </span>
    </p>
  );
}

/** The state is announced when it changes. How long ago it was changes all the time, and would be announced as often. */
const Heard = ({ children }: Readonly<{ children: string }>) => <span aria-live="off">{children}</span>;
