import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type ConnectionEnd, type ConnectionEvent } from '../../events/connection.events';
import { type ConnectionId, type CredentialId, type WalletDeviceId, type MerchantId } from '../../kernel/aggregates';

type Named = Readonly<{ connectionId: ConnectionId; deviceId: WalletDeviceId; at: string }>;

export type ConnectionCommand = Readonly<
  | (Named & { kind: 'pause' })
  | (Named & { kind: 'resume' })
  | (Named & { kind: 'revoke'; reason: ConnectionEnd; credentialId?: CredentialId })
  /** Names the generation it wants, so that concurrent calls create one new token, not several. */
  | (Named & { kind: 'rotate-token'; generation: number; secret: number })
>;

export type ConnectionStatus = 'active' | 'paused' | 'revoked';

export type ConnectionState = Readonly<
  | { status: 'unknown' }
  | { status: ConnectionStatus; deviceId: WalletDeviceId; merchantId: MerchantId; generation: number }
>;

/** What a wallet may do with a connection. The capability that had it approved creates it. */
export const connection: Decider<ConnectionState, ConnectionCommand, ConnectionEvent> = {
  category: 'connection',
  initial: { status: 'unknown' },

  decide(command, state) {
    if (state.status === 'unknown' || state.deviceId !== command.deviceId) throw refuse('resource_not_found');
    const { connectionId: connection_id, deviceId: device_id, at } = command;
    const names = { connection_id, device_id, merchant_id: state.merchantId };
    switch (command.kind) {
      case 'pause':
        if (state.status === 'revoked') throw refuseMove(state.status);
        return state.status === 'paused' ? [] : [{ type: 'ConnectionPaused', data: { ...names, paused_at: at } }];
      case 'resume':
        if (state.status === 'revoked') throw refuseMove(state.status);
        return state.status === 'active' ? [] : [{ type: 'ConnectionResumed', data: { ...names, resumed_at: at } }];
      case 'revoke': {
        if (state.status === 'revoked') return [];
        const { reason, credentialId } = command;
        const why = credentialId === undefined ? { reason } : { reason, credential_id: credentialId };
        return [{ type: 'ConnectionRevoked', data: { ...names, ...why, revoked_at: at } }];
      }
      case 'rotate-token': {
        const { generation, secret: secret_number } = command;
        if (state.status === 'revoked') throw refuse('connection_revoked');
        if (state.generation >= generation) return [];
        const made = secret_number === 1 ? { generation } : { generation, secret_number };
        return [{ type: 'ConnectionTokenRotated', data: { connection_id, device_id, ...made, rotated_at: at } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ConnectionCreated') {
      const { device_id: deviceId, merchant_id: merchantId } = event.data;
      return { status: 'active', deviceId, merchantId, generation: 1 };
    }
    if (state.status === 'unknown') throw new Error(`${event.type} before the connection was created`);
    switch (event.type) {
      case 'ConnectionTokenRotated':
        return { ...state, generation: event.data.generation };
      case 'ConnectionTokenHandedOver':
        return state;
      case 'ConnectionPaused':
        return { ...state, status: 'paused' };
      case 'ConnectionResumed':
        return { ...state, status: 'active' };
      case 'ConnectionRevoked':
        return { ...state, status: 'revoked' };
      default:
        return assertNever(event);
    }
  },
};

const refuseMove = (current: ConnectionStatus) =>
  refuse('invalid_status_transition', { details: { current_status: current } });
