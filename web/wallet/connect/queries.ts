import { queryOptions } from '@tanstack/react-query';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';

/** The invitations that wait for a decision on this device. */
export const invitationsQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => {
      const { connect_invitations: invitations } = await client.listInvitations({ limit: 200 }, { signal });
      return invitations.filter(({ status }) => status === 'claimed');
    },
  });

export const connectionsQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['connections'],
    queryFn: async ({ signal }) => (await client.listConnections({ limit: 200 }, { signal })).connections,
  });
