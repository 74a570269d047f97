import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';
import { type DomainHolder, type DomainNameEvent } from '../events/domain-name.events';

const STALE_MS = 30 * 24 * 3_600_000;

/** Who holds a name, and when the challenge was last seen published. */
export type NameStanding = Readonly<{ holder: DomainHolder; lastSeenAt: string }> | null;

export const nameStanding: Fold<NameStanding, DomainNameEvent> = {
  category: 'domain_name',
  initial: null,

  evolve(state, event) {
    switch (event.type) {
      case 'DomainNameProven':
        return { holder: event.data.holder, lastSeenAt: event.data.proven_at };
      case 'DomainNameSeen':
        return state === null ? state : { ...state, lastSeenAt: event.data.seen_at };
      case 'DomainNameMissed':
        return state;
      default:
        return notFollowed(event, state);
    }
  },
};

/** A proof that has not been seen for that long is no evidence for a new version. */
export const isStale = (lastSeenAt: string, now: string): boolean =>
  Date.parse(now) - Date.parse(lastSeenAt) >= STALE_MS;
