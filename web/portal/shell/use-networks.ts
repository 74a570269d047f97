import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';

/** The networks that the service knows; they do not change while it runs. */
export function useNetworks() {
  const { client } = useMerchant();
  return useQuery({
    queryKey: ['networks'],
    queryFn: async ({ signal }) => (await client.networks.list({ signal })).networks,
    staleTime: Infinity,
  });
}

/** A network's display name. */
export function useNetworkName(): (network: string) => string {
  const { data = [] } = useNetworks();
  return (network) => data.find((one) => one.network === network)?.title ?? network.replaceAll('_', ' ');
}
