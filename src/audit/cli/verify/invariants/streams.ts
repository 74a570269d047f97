import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { CATEGORIES, type Category } from '../../../../kernel/aggregates';
import { type Breach, type Invariant } from '../invariant';
import { type EventType } from '../../../../events';

export const wholeStreams: Invariant = {
  name: 'whole-streams',
  says: 'every stream has its events 1, 2, 3 … in the order of the log, each with its own id, time, actor and call',
  categories: CATEGORIES,
  *breaches(events): Generator<Breach> {
    const ids = new Set<string>();
    let before: RecordedEvent | undefined;
    for (const event of events) {
      const { event_id, occurred_at, actor, request_id, schema } = event.metadata;
      const due = (before?.version ?? 0) + 1;
      if (event.version !== due) yield { event, what: `event ${due} of the stream is missing` };
      if (before && event.position <= before.position) yield { event, what: 'it is before the event it follows' };
      if (ids.has(event_id)) yield { event, what: `${event_id} is in the stream twice` };
      const isComplete = !Number.isNaN(Date.parse(occurred_at)) && actor.kind && actor.id && request_id && schema > 0;
      if (!isComplete) yield { event, what: 'its time, actor or call is missing' };
      ids.add(event_id);
      before = event;
    }
  },
};

/** Event types that may occur only once per stream. */
const ONCE_PER_STREAM: Readonly<Record<string, readonly string[]>> = {
  email_link: ['EmailLinkSpent'],
  grant: ['GrantSpentOnMerchant', 'GrantSpentOnSession'],
  assertion: ['AssertionAccepted'],
  connect_invitation: ['ConnectInvitationClaimed', 'ConnectInvitationExchanged'],
  pairing_session: ['PairingSessionApproved', 'PairingTokenCollected'],
} satisfies Partial<Record<Category, readonly EventType[]>>;

export const oneTime: Invariant = {
  name: 'one-time',
  says: 'links, grants, assertions, connect keys and exchanges were used at most once',
  categories: Object.keys(ONCE_PER_STREAM) as readonly Category[],
  *breaches(events): Generator<Breach> {
    const [category = ''] = events[0]?.stream.split('-') ?? [];
    const isGrant = category === 'grant';
    const used = new Set<string>();
    for (const event of events) {
      if (!ONCE_PER_STREAM[category]?.includes(event.type)) continue;
      // A grant can be spent on one organization or one session, never both.
      const use = isGrant ? 'spent' : event.type;
      if (used.has(use)) yield { event, what: 'it was used before' };
      used.add(use);
    }
  },
};
