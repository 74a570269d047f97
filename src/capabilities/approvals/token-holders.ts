import { type ConnectionEvent, type ConnectionTokenHandedOver } from '../../events/connection.events';
import { type Decider } from '../../kernel/decider';
import { type ConnectionId, type CredentialId, type WalletDeviceId } from '../../kernel/aggregates';

export type HandOver = Readonly<{
  kind: 'hand-over';
  connectionId: ConnectionId;
  deviceId: WalletDeviceId;
  credentialId: CredentialId;
  at: string;
}>;

/** The agent's credentials that received a connection's token: revoking any of them ends the connection. */
export const tokenHolders: Decider<readonly string[], HandOver, ConnectionEvent> = {
  category: 'connection',
  initial: [],

  decide({ connectionId: connection_id, deviceId: device_id, credentialId: credential_id, at }, holders) {
    if (holders.includes(credential_id)) return [];
    const data = { connection_id, device_id, credential_id, handed_over_at: at };
    return [{ type: 'ConnectionTokenHandedOver', data } satisfies ConnectionTokenHandedOver];
  },

  evolve(holders, { type, data }) {
    const namesHolder = type === 'ConnectionCreated' || type === 'ConnectionTokenHandedOver';
    return namesHolder && data.credential_id !== undefined ? [...holders, data.credential_id] : holders;
  },
};
