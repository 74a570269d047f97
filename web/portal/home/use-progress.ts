import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';

export type Progress = Readonly<Record<'domain' | 'payee' | 'agent' | 'webhook' | 'wallet' | 'payment', boolean>>;

const NO_PROGRESS: Progress = {
  domain: false,
  payee: false,
  agent: false,
  webhook: false,
  wallet: false,
  payment: false,
};

/** How far the set-up has come, derived from what actually exists. */
export function useProgress() {
  const { client, merchant } = useMerchant();
  return useQuery({
    queryKey: ['progress', merchant.status],
    queryFn: async ({ signal }): Promise<Progress> => {
      if (merchant.status !== 'active') return NO_PROGRESS;
      const many = { limit: 200 };
      const approved = ['signed', 'broadcasted', 'confirmed'] as const;
      const [domains, payees, agents, endpoints, connections, ...payments] = await Promise.all([
        client.domains.list(many, { signal }),
        client.recipients.list(many, { signal }),
        client.agents.list(many, { signal }),
        client.webhooks.list(many, { signal }),
        client.connections.list(many, { signal }),
        ...approved.map((status) => client.payments.list({ status, limit: 1 }, { signal })),
      ]);
      return {
        domain: domains.domains.some(({ status }) => status === 'verified'),
        payee: payees.recipients.some(({ active_version_id }) => active_version_id !== null),
        agent: agents.agents.some(({ status }) => status === 'active'),
        webhook: endpoints.webhook_endpoints.some(({ status }) => status === 'active'),
        wallet: connections.connections.some(({ status }) => status === 'active'),
        payment: payments.some(({ payment_requests }) => payment_requests.length > 0),
      };
    },
  });
}
