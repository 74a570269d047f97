import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type DomainNameEvent } from '../src/events/domain-name.events';
import { type DomainMethod, type MerchantEvent } from '../src/events/merchant.events';
import {
  change,
  collection,
  create,
  type Document,
  ignored,
  type Projection,
  type Step,
} from '../src/platform/read-model/projection';
import { type AccountId, type DomainId, type MerchantId } from '../src/kernel/aggregates';

export type MerchantDocument = Readonly<{
  id: MerchantId;
  account_id: AccountId;
  name: string;
  status: 'pending' | 'active';
  created_at: string;
  updated_at: string;
  version: number;
}>;

export type MerchantDomainDocument = Readonly<{
  id: DomainId;
  merchant_id: MerchantId;
  domain: string;
  method: DomainMethod;
  status: 'pending' | 'verified' | 'superseded' | 'given_up';
  challenge: string;
  challenge_expires_at: string;
  created_at: string;
  updated_at: string;
  verified_at: string | null;
  /** When its challenge was last seen published. */
  last_seen_at: string | null;
  superseded_at: string | null;
  given_up_at: string | null;
  /** When the service looks for it again; `due` is null where it does not. */
  look_at: string | null;
  due: true | null;
  /** The version of the merchant's stream at the domain's last event. */
  version: number;
}>;

/** A domain as its merchant sees it, in answers and in what it is told of. */
export const domainView = (document: MerchantDomainDocument) => ({
  domain_id: document.id,
  domain: document.domain,
  method: document.method,
  status: document.status,
  created_at: document.created_at,
  updated_at: document.updated_at,
  verified_at: document.verified_at,
  ...(document.last_seen_at === null ? {} : { last_seen_at: document.last_seen_at }),
  ...(document.superseded_at === null ? {} : { superseded_at: document.superseded_at }),
  ...(document.given_up_at === null ? {} : { given_up_at: document.given_up_at }),
  version: document.version,
});

export const merchants = collection<MerchantDocument>('merchants', {
  by_account: { equals: ['account_id'], sort: 'created_at' },
});

export const merchantDomains = collection<MerchantDomainDocument>('merchant_domains', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  due: { equals: ['due'], sort: 'look_at' },
});

export const merchantsProjection: Projection = {
  name: 'merchants',
  version: 2,
  collections: [merchants, merchantDomains],
  project: (recorded) => steps(recorded as RecordedEvent & (MerchantEvent | DomainNameEvent)),
};

function steps(event: RecordedEvent & (MerchantEvent | DomainNameEvent)): readonly Step[] {
  switch (event.type) {
    case 'MerchantCreated': {
      const { merchant_id: id, account_id, name, created_at } = event.data;
      const { version } = event;
      return [
        create(merchants, { id, account_id, name, status: 'pending', created_at, updated_at: created_at, version }),
      ];
    }
    case 'MerchantDomainRegistered':
      return [registered(event), touch(event, event.data.registered_at, {})];
    case 'MerchantDomainVerified': {
      const { domain_id: id, verified_at, method } = event.data;
      const { version } = event;
      const seen = { verified_at, superseded_at: null, ...seenAt(verified_at) };
      const changes = { status: 'verified', method, ...seen, updated_at: verified_at, version } as const;
      return [change(merchantDomains, id, (domain) => ({ ...domain, ...changes })), touch(event, verified_at, {})];
    }
    case 'MerchantDomainSuperseded': {
      const { domain_id: id, superseded_at } = event.data;
      const { version } = event;
      const changes = {
        status: 'superseded',
        superseded_at,
        updated_at: superseded_at,
        version,
        ...UNWATCHED,
      } as const;
      return [change(merchantDomains, id, (domain) => ({ ...domain, ...changes })), touch(event, superseded_at, {})];
    }
    case 'MerchantDomainGivenUp': {
      const { domain_id: id, given_up_at } = event.data;
      const { version } = event;
      const changes = { status: 'given_up', given_up_at, updated_at: given_up_at, version, ...UNWATCHED } as const;
      return [change(merchantDomains, id, (domain) => ({ ...domain, ...changes })), touch(event, given_up_at, {})];
    }
    case 'DomainNameSeen': {
      const { holder, seen_at } = event.data;
      return [watched(holder.domain_id, () => seenAt(seen_at))];
    }
    case 'DomainNameMissed': {
      const { holder, missed_at } = event.data;
      return [watched(holder.domain_id, () => ({ look_at: later(missed_at, DAY_MS) }))];
    }
    case 'DomainNameProven':
      return ignored;
    case 'MerchantActivated':
      return [touch(event, event.data.activated_at, { status: 'active' })];
    case 'MerchantRenamed':
      return [touch(event, event.data.renamed_at, { name: event.data.name })];
    default:
      return notFollowed(event, ignored);
  }
}

const DAY_MS = 24 * 3_600_000;
const UNWATCHED = { look_at: null, due: null } as const;

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** Seen, it is looked for again in a week; missed, on the next day. */
const seenAt = (time: string) => ({ last_seen_at: time, look_at: later(time, 7 * DAY_MS), due: true }) as const;

/** Only of a proof that holds: one that was superseded or given up is not looked for. */
const watched = (id: DomainId, changes: () => Partial<MerchantDomainDocument>): Step =>
  change(merchantDomains, id, (domain) => (domain.status === 'verified' ? { ...domain, ...changes() } : domain));

type Registered = Extract<MerchantEvent, { type: 'MerchantDomainRegistered' }>;

/** A domain may be registered again after its challenge expired: it stays the same record, with a new challenge. */
const registered = ({ data, version }: RecordedEvent & Registered): Step => ({
  collection: merchantDomains,
  id: data.domain_id,
  next: (current: Document | undefined) => {
    const known = current as MerchantDomainDocument | undefined;
    const document: MerchantDomainDocument = {
      id: data.domain_id,
      merchant_id: data.merchant_id,
      domain: data.domain,
      method: data.method,
      status: 'pending',
      challenge: data.challenge,
      challenge_expires_at: data.challenge_expires_at,
      created_at: known?.created_at ?? data.registered_at,
      updated_at: data.registered_at,
      verified_at: null,
      last_seen_at: null,
      // Until it is proven again.
      superseded_at: known?.superseded_at ?? null,
      given_up_at: null,
      ...UNWATCHED,
      version,
    };
    return { document };
  },
});

const touch = (
  { data, version }: RecordedEvent & MerchantEvent,
  at: string,
  changes: Partial<MerchantDocument>,
): Step => change(merchants, data.merchant_id, (merchant) => ({ ...merchant, ...changes, updated_at: at, version }));
