import { useQuery } from '@tanstack/react-query';
import { useMerchant } from '../use-merchant.ts';
import { allOf } from '../../live/all-of.ts';

/** Agent names by connection id, for data that only names the connection. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const { client } = useMerchant();
  const { data } = useQuery({
    queryKey: ['connections', 'agent-names'],
    queryFn: async ({ signal }) => {
      const connections = await allOf(
        (page) => client.connections.list(page, { signal }),
        (answer) => answer.connections,
      );
      return new Map(connections.map(({ connection_id, agent_name }) => [connection_id, agent_name]));
    },
  });
  return data ?? NO_NAMES;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
