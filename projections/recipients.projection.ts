import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import {
  type RecipientEvent,
  type RecipientFacts,
  type RecipientVersionVerified,
} from '../src/events/recipient.events';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type MerchantId, type RecipientId, type RecipientVersionId } from '../src/kernel/aggregates';

type Verified = RecipientVersionVerified['data'];

export type EvidenceDocument = Pick<Verified, 'evidence_id' | 'evidence_digest' | 'proof' | 'verified_at'>;

export type RecipientVersionDocument = RecipientFacts &
  Readonly<{
    recipient_version_id: RecipientVersionId;
    number: number;
    status: 'created' | 'verified' | 'active' | 'superseded' | 'retired';
    evidence: EvidenceDocument | null;
    created_at: string;
    activated_at: string | null;
    /** Only of a version that was retired. */
    retired_at?: string;
  }>;

export type RecipientDocument = Readonly<{
  id: RecipientId;
  merchant_id: MerchantId;
  name: string;
  active_version_id: string | null;
  /** How many times a version became the active one. */
  activations: number;
  /** True once a version is active; null keeps it out of the index of payable recipients. */
  payable: true | null;
  /** By number. */
  versions: readonly RecipientVersionDocument[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const recipients = collection<RecipientDocument>('recipients', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  payable: { equals: ['merchant_id', 'payable'], sort: 'created_at' },
});

export const recipientsProjection: Projection = {
  name: 'recipients',
  version: 5,
  collections: [recipients],
  project: (recorded) => steps(recorded as RecordedEvent & RecipientEvent),
};

function steps(event: RecordedEvent & RecipientEvent): readonly Step[] {
  switch (event.type) {
    case 'RecipientCreated': {
      const { recipient_id: id, merchant_id, name, created_at } = event.data;
      return [
        create(recipients, {
          id,
          merchant_id,
          name,
          active_version_id: null,
          activations: 0,
          payable: null,
          versions: [],
          created_at,
          updated_at: created_at,
          version: 0,
        }),
      ];
    }
    case 'RecipientVersionAdded': {
      const { recipient_version_id, number, facts, added_at } = event.data;
      const added: RecipientVersionDocument = {
        recipient_version_id,
        number,
        status: 'created',
        ...facts,
        evidence: null,
        created_at: added_at,
        activated_at: null,
      };
      return [touch(event, added_at, ({ versions }) => ({ versions: [...versions, added] }))];
    }
    case 'RecipientVersionVerified': {
      const { recipient_version_id: id, evidence_id, evidence_digest, proof, verified_at } = event.data;
      const evidence = { evidence_id, evidence_digest, proof, verified_at };
      return [
        touch(event, verified_at, ({ versions }) => ({
          versions: replace(versions, id, { status: 'verified', evidence }),
        })),
      ];
    }
    case 'RecipientVersionActivated': {
      const { recipient_version_id: id, superseded_version_id, activated_at } = event.data;
      return [
        touch(event, activated_at, ({ versions, activations }) => ({
          active_version_id: id,
          activations: activations + 1,
          payable: true,
          versions: replace(replace(versions, superseded_version_id, { status: 'superseded' }), id, {
            status: 'active',
            activated_at,
          }),
        })),
      ];
    }
    case 'RecipientVersionRetired': {
      const { recipient_version_id: id, retired_at } = event.data;
      return [
        touch(event, retired_at, ({ active_version_id, payable, versions }) => ({
          ...(active_version_id === id ? { active_version_id: null, payable: null } : { active_version_id, payable }),
          versions: versions.map((version) =>
            version.recipient_version_id === id
              ? { ...version, status: 'retired', retired_at: version.retired_at ?? retired_at }
              : version,
          ),
        })),
      ];
    }
    default:
      return notFollowed(event, ignored);
  }
}

const replace = (
  versions: readonly RecipientVersionDocument[],
  id: string | null,
  changes: Partial<RecipientVersionDocument>,
): readonly RecipientVersionDocument[] =>
  versions.map((version) => (version.recipient_version_id === id ? { ...version, ...changes } : version));

const touch = (
  { data }: RecordedEvent & RecipientEvent,
  at: string,
  changes: (current: RecipientDocument) => Partial<RecipientDocument>,
): Step =>
  change(recipients, data.recipient_id, (current) => ({
    ...current,
    ...changes(current),
    updated_at: at,
    version: current.version + 1,
  }));
