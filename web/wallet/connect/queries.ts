import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../live/all-of.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';

/** The invitations that wait for a decision on this device. */
export const invitationsQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => {
      const invitations = await allOf(
        (page) => client.listInvitations(page, { signal }),
        (answer) => answer.connect_invitations,
      );
      return invitations.filter(({ status }) => status === 'claimed');
    },
  });

export const connectionsQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['connections'],
    queryFn: ({ signal }) =>
      allOf(
        (page) => client.listConnections(page, { signal }),
        (answer) => answer.connections,
      ),
  });
