import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';

/** A payment of either kind. The kind is explicit, because an agent may give a request an id like ap_…. */
export type PaymentPlace = Readonly<{ kind: 'Payment request' | 'Agent payment'; id: string; page: string }>;

export const requestPlace = (id: string): PaymentPlace => ({ kind: 'Payment request', id, page: `/payments/${id}` });
export const agentPaymentPlace = (id: string): PaymentPlace => ({
  kind: 'Agent payment',
  id,
  page: `/agent-payments/${id}`,
});

/** The other payments for which a wallet reported a transaction, and whether these are all. */
export type Others = Readonly<{ known: readonly PaymentPlace[]; areAll: boolean }>;

export function useSameTransaction(hash: string | undefined, own: PaymentPlace): Others {
  const { client } = useMerchant();
  const [query, enabled] = [{ transaction_hash: hash ?? '' }, hash !== undefined];
  const { data: requests } = useQuery({
    queryKey: ['payments', 'same-transaction', hash],
    queryFn: ({ signal }) => client.payments.list(query, { signal }),
    enabled,
  });
  const { data: agentPayments } = useQuery({
    queryKey: ['agent-payments', 'same-transaction', hash],
    queryFn: ({ signal }) => client.policies.listPayments(query, { signal }),
    enabled,
  });
  const all = [
    ...(requests?.payment_requests ?? []).map(({ request_id: id }) => requestPlace(id)),
    ...(agentPayments?.agent_payments ?? []).map(({ id }) => agentPaymentPlace(id)),
  ];
  return {
    known: all.filter(({ page }) => page !== own.page),
    areAll: requests?.next_cursor === null && agentPayments?.next_cursor === null,
  };
}
