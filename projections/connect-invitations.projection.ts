import { notFollowed } from '../src/kernel/assert-never';
import { type ConnectInvitationEvent } from '../src/events/connect-invitation.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import {
  type AgentId,
  type ConnectionId,
  type InvitationId,
  type MerchantId,
  type WalletDeviceId,
} from '../src/kernel/aggregates';

/** The agent that claimed the key; there is none before the claim. */
export type ClaimantDocument = Readonly<{
  agent_id: AgentId;
  agent_name: string;
  merchant_id: MerchantId;
  merchant_name: string;
  merchant_domain: string;
  requested_scopes: readonly string[];
  claimed_at: string;
}>;

export type ConnectInvitationDocument = Readonly<{
  id: InvitationId;
  device_id: WalletDeviceId;
  label: string | null;
  status: 'issued' | 'claimed' | 'approved' | 'rejected' | 'exchanged' | 'expired';
  claimant: ClaimantDocument | null;
  /** Granted by the wallet. */
  scopes: readonly string[] | null;
  connection_id: ConnectionId | null;
  created_at: string;
  updated_at: string;
  expires_at: string;
  version: number;
  /** True while it can still expire; null removes it from the index. */
  open: true | null;
  /** The device that is asked to decide, while it is; and since when. */
  waits_for: string | null;
  waits_since: string | null;
}>;

export const connectInvitations = collection<ConnectInvitationDocument>('connect_invitations', {
  waiting: { equals: ['waits_for'], sort: 'waits_since' },
  due: { equals: ['open'], sort: 'expires_at' },
});

export const connectInvitationsProjection: Projection = {
  name: 'connect-invitations',
  version: 2,
  collections: [connectInvitations],
  project: (recorded) => steps(recorded as RecordedEvent & ConnectInvitationEvent),
};

const decided = { waits_for: null, waits_since: null };

function steps(event: RecordedEvent & ConnectInvitationEvent): readonly Step[] {
  switch (event.type) {
    case 'ConnectKeyIssued': {
      const { invitation_id: id, device_id, label, issued_at: at, expires_at } = event.data;
      const document: ConnectInvitationDocument = {
        id,
        device_id,
        label,
        status: 'issued',
        claimant: null,
        scopes: null,
        connection_id: null,
        created_at: at,
        updated_at: at,
        expires_at,
        version: event.version,
        open: true,
        ...decided,
      };
      return [create(connectInvitations, document)];
    }
    case 'ConnectInvitationClaimed': {
      const { invitation_id: _id, device_id, claim_token_hash: _hash, expires_at, ...claim } = event.data;
      const { credential_id: _credential, ...claimant } = claim;
      const { claimed_at } = claimant;
      const asked = { waits_for: device_id, waits_since: claimed_at };
      return [touch(event, claimed_at, { status: 'claimed', claimant, expires_at, ...asked })];
    }
    case 'ConnectInvitationApproved': {
      const { approved_at, scopes, connection_id } = event.data;
      return [touch(event, approved_at, { status: 'approved', scopes, connection_id, ...decided })];
    }
    case 'ConnectInvitationRejected':
      return [touch(event, event.data.rejected_at, { status: 'rejected', open: null, ...decided })];
    case 'ConnectInvitationExpired':
      // It expired when its time was up, whenever that was noticed.
      return [
        change(connectInvitations, event.data.invitation_id, (known) => ({
          ...known,
          ...decided,
          status: 'expired' as const,
          open: null,
          updated_at: known.expires_at,
          version: event.version,
        })),
      ];
    case 'ConnectInvitationExchanged':
      return [touch(event, event.data.exchanged_at, { status: 'exchanged', open: null })];
    default:
      return notFollowed(event, ignored);
  }
}

const touch = (
  { data, version }: RecordedEvent & ConnectInvitationEvent,
  at: string,
  changes: Partial<ConnectInvitationDocument>,
): Step =>
  change(connectInvitations, data.invitation_id, (known) => ({ ...known, ...changes, updated_at: at, version }));
