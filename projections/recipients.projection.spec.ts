import { type RecipientEvent } from '../src/events/recipient.events';
import {
  created,
  otherFacts,
  versionActivated,
  versionAdded,
  versionVerified,
} from '../src/capabilities/recipients/recipient.fixtures';
import { someMetadata } from '../test/support/events';
import { type Document } from '../src/platform/read-model/projection';
import { type RecipientDocument, recipientsProjection } from './recipients.projection';

const play = (...events: readonly RecipientEvent[]): RecipientDocument =>
  events.reduce<Document | undefined>((document, event, index) => {
    const recorded = { ...event, metadata: someMetadata(), stream: 's', version: index + 1, position: 1n };
    return recipientsProjection.project(recorded)[0]?.next(document).document;
  }, undefined) as RecipientDocument;

const statuses = ({ versions }: RecipientDocument): string[] => versions.map(({ status }) => status);

describe('the recipients projection', () => {
  const first = [created, versionAdded(1), versionVerified(1), versionActivated(1, null)];
  const second = [versionAdded(2, otherFacts), versionVerified(2, otherFacts), versionActivated(2, 1, otherFacts)];

  it('counts what was done as the version; being created with a first version is one', () => {
    expect(play(created, versionAdded(1)).version).toBe(1);
    expect(play(...first, ...second).version).toBe(6);
  });

  it('follows a version from created over verified to active', () => {
    expect([2, 3, 4].map((count) => statuses(play(...first.slice(0, count))))).toEqual([
      ['created'],
      ['verified'],
      ['active'],
    ]);
    expect(play(...first).active_version_id).toBe('rcv_1');
  });

  it('keeps the active version until another takes its place', () => {
    expect([1, 2, 3].map((count) => statuses(play(...first, ...second.slice(0, count))))).toEqual([
      ['active', 'created'],
      ['active', 'verified'],
      ['superseded', 'active'],
    ]);
  });

  it('shows what was verified, and by which proof', () => {
    const { data } = versionVerified(1) as Extract<RecipientEvent, { type: 'RecipientVersionVerified' }>;
    const { evidence_id, evidence_digest, proof, verified_at } = data;
    const [version] = play(...first).versions;
    expect(version?.evidence).toEqual({ evidence_id, evidence_digest, proof, verified_at });
  });

  it('ignores other events', () => {
    const other = {
      type: 'MerchantCreated',
      data: {},
      metadata: someMetadata(),
      stream: 's',
      version: 1,
      position: 1n,
    };
    expect(recipientsProjection.project(other)).toEqual([]);
  });
});
