import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';

export function useTimeline(id: string) {
  const { client } = useMerchant();
  return useQuery({
    queryKey: ['payments', 'timeline', id],
    queryFn: ({ signal }) => client.payments.readTimeline(id, { signal }),
  });
}
