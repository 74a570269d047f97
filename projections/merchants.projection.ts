import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
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
  status: 'pending' | 'verified';
  challenge: string;
  challenge_expires_at: string;
  created_at: string;
  updated_at: string;
  verified_at: string | null;
  /** The version of the merchant's stream at the domain's last event. */
  version: number;
}>;

export const merchants = collection<MerchantDocument>('merchants', {
  by_account: { equals: ['account_id'], sort: 'created_at' },
});

export const merchantDomains = collection<MerchantDomainDocument>('merchant_domains', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
});

export const merchantsProjection: Projection = {
  name: 'merchants',
  version: 1,
  collections: [merchants, merchantDomains],
  project: (recorded) => steps(recorded as RecordedEvent & MerchantEvent),
};

function steps(event: RecordedEvent & MerchantEvent): readonly Step[] {
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
      const changes = { status: 'verified', method, verified_at, updated_at: verified_at, version } as const;
      return [change(merchantDomains, id, (domain) => ({ ...domain, ...changes })), touch(event, verified_at, {})];
    }
    case 'MerchantActivated':
      return [touch(event, event.data.activated_at, { status: 'active' })];
    case 'MerchantRenamed':
      return [touch(event, event.data.renamed_at, { name: event.data.name })];
    default:
      return notFollowed(event, ignored);
  }
}

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
