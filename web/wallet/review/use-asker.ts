import { useQuery } from '@tanstack/react-query';
import { connectionsQuery } from '../connect/queries.ts';
import { useWallet } from '../device/use-wallet.ts';
import { type Payment } from './payments.ts';

type Asker = Readonly<{ agentName: string | undefined; merchantName: string | undefined }>;

/**
 * Who asks. A request names its asker; an agent payment uses the names that the person agreed to for its connection: no
 * agent or merchant can appear under another name to the person who decides.
 */
export function useAsker(): (payment: Payment) => Asker {
  const { client } = useWallet();
  const { data: connections = [] } = useQuery(connectionsQuery(client));
  return ({ agentName, merchantName, connectionId }) => {
    const connection = connections.find(({ connection_id }) => connection_id === connectionId);
    const names = connection?.agreed_names ?? connection;
    return { agentName: agentName ?? names?.agent_name, merchantName: merchantName ?? names?.merchant_name };
  };
}
