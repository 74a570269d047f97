import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../live/all-of.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';

/** Policies that wait for the person come first. */
export const policiesQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['policies'],
    queryFn: async ({ signal }) => {
      const policies = await allOf(
        (page) => client.listPolicies(page, { signal }),
        (answer) => answer.automation_policies,
      );
      const rank = { awaiting_opt_in: 0, active: 1, opted_out: 2, declined: 3, replaced: 3, revoked: 3 };
      const inOrder = [...policies].sort((one, other) => rank[one.status] - rank[other.status]);
      // Only the single read names the payees on the allowlist.
      return Promise.all(inOrder.map(({ id }) => client.readPolicy(id, { signal })));
    },
  });
