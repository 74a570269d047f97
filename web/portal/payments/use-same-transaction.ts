import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';

/** The other requests for which a wallet reported this transaction; undefined until that is known. */
export function useSameTransaction(hash: string | undefined, own: string | undefined): readonly string[] | undefined {
  const { client } = useMerchant();
  const { data } = useQuery({
    queryKey: ['payments', 'same-transaction', hash],
    queryFn: ({ signal }) => client.payments.list({ q: hash ?? '' }, { signal }),
    enabled: hash !== undefined,
  });
  // The search also finds requests that have these words as their idempotency key.
  return data?.payment_requests
    .filter(({ request_id: id, transaction_hash }) => id !== own && transaction_hash === hash)
    .map(({ request_id: id }) => id);
}
