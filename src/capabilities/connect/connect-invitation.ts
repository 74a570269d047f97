import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import {
  type ConnectInvitationApproved,
  type ConnectInvitationClaimed,
  type ConnectInvitationEvent,
} from '../../events/connect-invitation.events';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type ConnectionId, type InvitationId, type WalletDeviceId } from '../../kernel/aggregates';
import { type Asker, askerFacts, grantedScopes, refuseMove, sameScopes } from '../../kernel/asked-scopes';

/** What the agent supplies when it claims a key, and what the person will see of it. */
export type Claim = Asker & Readonly<{ requestedScopes: readonly string[]; claimTokenHash: string }>;

type Named = Readonly<{ invitationId: InvitationId; at: string }>;

export type ConnectInvitationCommand = Readonly<
  | (Named & {
      kind: 'issue-key';
      deviceId: WalletDeviceId;
      label: string | null;
      keyHash: string;
      expiresAt: string;
      under?: MaybeUnderKey | undefined;
    })
  /** The handler has already compared the key: it never changes. */
  | (Named & { kind: 'claim'; claim: Claim; expiresAt: string })
  /** If scopes is null, all requested ones. */
  | (Named & {
      kind: 'approve';
      deviceId: WalletDeviceId;
      connectionId: ConnectionId;
      scopes: readonly string[] | null;
    })
  | (Named & { kind: 'reject'; deviceId: WalletDeviceId })
  | (Named & {
      kind: 'exchange';
      /** Whether the connection is known to exist: it is created after the approval. */
      isOpen: boolean;
    })
  | (Named & { kind: 'expire' })
>;

export type ConnectInvitationStatus = 'issued' | 'claimed' | 'approved' | 'rejected' | 'exchanged' | 'expired';

export type KnownInvitation = Readonly<{
  status: ConnectInvitationStatus;
  deviceId: WalletDeviceId;
  keyHash: string;
  issued: Readonly<{ at: string; until: string; under: MaybeUnderKey }>;
  expiresAt: string;
  claim: ConnectInvitationClaimed['data'] | null;
  approval: ConnectInvitationApproved['data'] | null;
}>;

export type ConnectInvitationState = Readonly<{ status: 'unknown' }> | KnownInvitation;

/**
 * From a key issued by the wallet to a token held by the agent. For a command that comes too late, only the expiry is
 * left to decide: it is recorded, and the state tells the caller so.
 */
export const connectInvitation: Decider<ConnectInvitationState, ConnectInvitationCommand, ConnectInvitationEvent> = {
  category: 'connect_invitation',
  initial: { status: 'unknown' },

  decide(command, state) {
    if (command.kind === 'issue-key') {
      return state.status === 'unknown' ? [issued(command)] : repeated(state.issued.under, command.under);
    }
    if (state.status === 'unknown') throw refuse(command.kind === 'claim' ? 'invalid_grant' : 'resource_not_found');
    switch (command.kind) {
      case 'claim':
        // A key can be claimed once; a used key is refused just like an unknown one.
        if (state.claim?.claim_token_hash === command.claim.claimTokenHash) return [];
        if (state.claim !== null) throw refuse('invalid_grant');
        return expiryIfDue(state, command) ?? [claimed(command, state)];
      case 'approve':
        return approve(command, claimOf(state, command.deviceId), state);
      case 'reject':
        claimOf(state, command.deviceId);
        return reject(command, state);
      case 'exchange':
        if (state.status === 'exchanged') return [];
        return expiryIfDue(state, command) ?? [exchanged(command, state)];
      case 'expire':
        return expiryIfDue(state, command) ?? [];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ConnectKeyIssued') {
      const { device_id: deviceId, key_hash: keyHash, issued_at: at, expires_at: expiresAt } = event.data;
      const made = { at, until: expiresAt, under: underKey(event.data) };
      return { status: 'issued', deviceId, keyHash, issued: made, expiresAt, claim: null, approval: null };
    }
    if (state.status === 'unknown') throw new Error(`${event.type} before any key was issued`);
    switch (event.type) {
      case 'ConnectInvitationClaimed':
        return { ...state, status: 'claimed', expiresAt: event.data.expires_at, claim: event.data };
      case 'ConnectInvitationApproved':
        return { ...state, status: 'approved', approval: event.data };
      case 'ConnectInvitationRejected':
        return { ...state, status: 'rejected' };
      case 'ConnectInvitationExpired':
        return { ...state, status: 'expired' };
      case 'ConnectInvitationExchanged':
        return { ...state, status: 'exchanged' };
      default:
        return assertNever(event);
    }
  },
};

type CommandOf<Kind extends ConnectInvitationCommand['kind']> = Extract<ConnectInvitationCommand, { kind: Kind }>;

/** Undefined while there is time. Once rejected or exchanged, an invitation can no longer expire. */
function expiryIfDue(
  state: KnownInvitation,
  { invitationId, at }: Named,
): readonly ConnectInvitationEvent[] | undefined {
  if (state.status === 'expired') return [];
  if (state.status === 'rejected' || state.status === 'exchanged' || at < state.expiresAt) return undefined;
  const data = { invitation_id: invitationId, device_id: state.deviceId, expired_at: at };
  return [{ type: 'ConnectInvitationExpired', data }];
}

/** Only the wallet that issued the key decides, and only once an agent has claimed it. */
function claimOf(state: KnownInvitation, deviceId: WalletDeviceId): ConnectInvitationClaimed['data'] {
  if (state.claim === null || state.deviceId !== deviceId) throw refuse('resource_not_found');
  return state.claim;
}

function approve(
  command: CommandOf<'approve'>,
  claim: ConnectInvitationClaimed['data'],
  state: KnownInvitation,
): readonly ConnectInvitationEvent[] {
  const scopes = grantedScopes(command.scopes, claim.requested_scopes);
  if (state.status === 'exchanged' && sameScopes(state.approval?.scopes, scopes)) return [];
  const late = expiryIfDue(state, command);
  if (late) return late;
  if (state.status === 'approved' && sameScopes(state.approval?.scopes, scopes)) return [];
  if (state.status !== 'claimed') throw refuseMove(state);
  return [
    {
      type: 'ConnectInvitationApproved',
      data: {
        invitation_id: command.invitationId,
        device_id: command.deviceId,
        agent_id: claim.agent_id,
        merchant_id: claim.merchant_id,
        connection_id: command.connectionId,
        scopes,
        approved_at: command.at,
      },
    },
  ];
}

function reject(command: CommandOf<'reject'>, state: KnownInvitation): readonly ConnectInvitationEvent[] {
  if (state.status === 'rejected') return [];
  const late = expiryIfDue(state, command);
  if (late) return late;
  if (state.status !== 'claimed') throw refuseMove(state);
  const data = { invitation_id: command.invitationId, device_id: command.deviceId, rejected_at: command.at };
  return [{ type: 'ConnectInvitationRejected', data }];
}

const issued = (command: CommandOf<'issue-key'>): ConnectInvitationEvent => ({
  type: 'ConnectKeyIssued',
  data: {
    invitation_id: command.invitationId,
    device_id: command.deviceId,
    label: command.label,
    key_hash: command.keyHash,
    issued_at: command.at,
    expires_at: command.expiresAt,
    ...underKey(command.under),
  },
});

const claimed = (
  { invitationId, claim, at, expiresAt }: CommandOf<'claim'>,
  { deviceId }: KnownInvitation,
): ConnectInvitationEvent => ({
  type: 'ConnectInvitationClaimed',
  data: {
    invitation_id: invitationId,
    device_id: deviceId,
    ...askerFacts(claim),
    requested_scopes: claim.requestedScopes,
    claim_token_hash: claim.claimTokenHash,
    claimed_at: at,
    expires_at: expiresAt,
  },
});

function exchanged(
  { invitationId, at, isOpen }: CommandOf<'exchange'>,
  state: KnownInvitation,
): ConnectInvitationEvent {
  if (state.status === 'rejected') throw refuse('invitation_rejected');
  // Approved a moment ago: the exchange must not be used up before there is a connection to answer with.
  if (state.approval === null || !isOpen) throw refuse('approval_pending');
  const { device_id, connection_id } = state.approval;
  return {
    type: 'ConnectInvitationExchanged',
    data: { invitation_id: invitationId, device_id, connection_id, exchanged_at: at },
  };
}
