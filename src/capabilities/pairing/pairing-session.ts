import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type PairingSessionApproved, type PairingSessionEvent } from '../../events/pairing-session.events';
import {
  type AgentId,
  type ConnectionId,
  type CredentialId,
  type MerchantId,
  type PairingSessionId,
  type WalletDeviceId,
} from '../../kernel/aggregates';
import { type Asker, askerFacts, grantedScopes, refuseMove, sameScopes } from '../../kernel/asked-scopes';

export const MAX_MISSES = 5;

type Named = Readonly<{ sessionId: PairingSessionId; at: string }>;
/** The handler has already compared the code: it never changes. What follows from the result is decided here. */
type WithCode = Named & Readonly<{ rightCode: boolean }>;

export type PairingSessionCommand = Readonly<
  | (Named & {
      kind: 'start';
      asker: Asker;
      scopes: readonly string[];
      codeHash: string;
      codeLookUp: string;
      expiresAt: string;
    })
  | (WithCode & { kind: 'look' })
  /** If scopes is null, all requested ones. */
  | (WithCode & {
      kind: 'approve';
      deviceId: WalletDeviceId;
      connectionId: ConnectionId;
      scopes: readonly string[] | null;
    })
  | (WithCode & { kind: 'reject'; deviceId: WalletDeviceId })
  | (Named & { kind: 'collect-token' })
  | (Named & { kind: 'expire' })
>;

export type KnownSession = Readonly<{
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  agentId: AgentId;
  /** The credential that asked; undefined in logs from before it was recorded. */
  credentialId: CredentialId | undefined;
  startedAt: string;
  merchantId: MerchantId;
  requestedScopes: readonly string[];
  codeHash: string;
  expiresAt: string;
  misses: number;
  approval: PairingSessionApproved['data'] | null;
  collected: boolean;
}>;

export type PairingSessionState = Readonly<{ status: 'unknown' }> | KnownSession;

/**
 * An agent shows a short code, a wallet types it in and decides. A wrong code is recorded here, not refused, because it
 * has to count; so is a late one. The resulting state tells the caller which of the two it was.
 */
export const pairingSession: Decider<PairingSessionState, PairingSessionCommand, PairingSessionEvent> = {
  category: 'pairing_session',
  initial: { status: 'unknown' },

  decide(command, state) {
    if (command.kind === 'start') return state.status === 'unknown' ? [started(command)] : [];
    if (state.status === 'unknown') throw refuse('resource_not_found');
    switch (command.kind) {
      case 'look':
        return entered(command, state) ?? [];
      case 'approve':
        return entered(command, state) ?? approve(command, state);
      case 'reject':
        return entered(command, state) ?? reject(command, state);
      case 'collect-token': {
        if (state.approval === null || state.collected) return [];
        const { pairing_session_id, connection_id } = state.approval;
        return [
          { type: 'PairingTokenCollected', data: { pairing_session_id, connection_id, collected_at: command.at } },
        ];
      }
      case 'expire':
        return isDue(state, command) ? [expired(command)] : [];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'PairingSessionStarted') {
      const { data } = event;
      return {
        status: 'pending',
        agentId: data.agent_id,
        credentialId: data.credential_id,
        startedAt: data.started_at,
        merchantId: data.merchant_id,
        requestedScopes: data.requested_scopes,
        codeHash: data.code_hash,
        expiresAt: data.expires_at,
        misses: 0,
        approval: null,
        collected: false,
      };
    }
    if (state.status === 'unknown') throw new Error(`${event.type} before the session was started`);
    switch (event.type) {
      case 'PairingCodeMissed':
        return { ...state, misses: event.data.attempts };
      case 'PairingSessionApproved':
        return { ...state, status: 'approved', approval: event.data };
      case 'PairingSessionRejected':
        return { ...state, status: 'rejected' };
      case 'PairingSessionExpired':
        return { ...state, status: 'expired' };
      case 'PairingTokenCollected':
        return { ...state, collected: true };
      default:
        return assertNever(event);
    }
  },
};

type CommandOf<Kind extends PairingSessionCommand['kind']> = Extract<PairingSessionCommand, { kind: Kind }>;

const isDue = ({ status, expiresAt }: KnownSession, { at }: Named): boolean => status === 'pending' && at >= expiresAt;

/** The outcome of entering a code; undefined if it is right and in time. Once the session has ended, nothing counts. */
function entered(command: WithCode, state: KnownSession): readonly PairingSessionEvent[] | undefined {
  if (isDue(state, command)) return [expired(command)];
  if (state.status === 'expired') return [];
  if (command.rightCode) return undefined;
  if (state.status !== 'pending') return [];
  const attempts = state.misses + 1;
  const missed: PairingSessionEvent = {
    type: 'PairingCodeMissed',
    data: { pairing_session_id: command.sessionId, missed_at: command.at, attempts },
  };
  return attempts < MAX_MISSES ? [missed] : [missed, expired(command)];
}

function approve(command: CommandOf<'approve'>, state: KnownSession): readonly PairingSessionEvent[] {
  const scopes = grantedScopes(command.scopes, state.requestedScopes);
  if (state.approval?.device_id === command.deviceId && sameScopes(state.approval.scopes, scopes)) return [];
  if (state.status !== 'pending') throw refuseMove(state);
  return [
    {
      type: 'PairingSessionApproved',
      data: {
        pairing_session_id: command.sessionId,
        device_id: command.deviceId,
        agent_id: state.agentId,
        merchant_id: state.merchantId,
        connection_id: command.connectionId,
        scopes,
        approved_at: command.at,
      },
    },
  ];
}

function reject(command: CommandOf<'reject'>, state: KnownSession): readonly PairingSessionEvent[] {
  if (state.status === 'rejected') return [];
  if (state.status !== 'pending') throw refuseMove(state);
  const { sessionId: pairing_session_id, deviceId: device_id, at: rejected_at } = command;
  return [{ type: 'PairingSessionRejected', data: { pairing_session_id, device_id, rejected_at } }];
}

const expired = ({ sessionId, at }: Named): PairingSessionEvent => ({
  type: 'PairingSessionExpired',
  data: { pairing_session_id: sessionId, expired_at: at },
});

const started = (command: CommandOf<'start'>): PairingSessionEvent => ({
  type: 'PairingSessionStarted',
  data: {
    pairing_session_id: command.sessionId,
    ...askerFacts(command.asker),
    requested_scopes: command.scopes,
    code_hash: command.codeHash,
    code_look_up: command.codeLookUp,
    started_at: command.at,
    expires_at: command.expiresAt,
  },
});
