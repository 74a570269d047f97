import { useQuery } from '@tanstack/react-query';
import { Muted, PageHead } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { connectionsQuery } from '../connect/queries.ts';
import { namesInWords } from '../connections/names.ts';
import { useWallet } from '../device/use-wallet.ts';
import { placeOf } from './payments.ts';

/** Agents of different merchants have chosen the same request id. */
export function WhichOne({ id, among }: Readonly<{ id: string; among: unknown }>) {
  const { client } = useWallet();
  const { data: connections = [] } = useQuery(connectionsQuery(client));
  const connectionIds = Array.isArray(among) ? among.map(String) : [];
  return (
    <>
      <PageHead title="Which one?">More than one connection has a request with this id.</PageHead>
      <ul>
        {connectionIds.map((connectionId) => {
          const connection = connections.find(({ connection_id }) => connection_id === connectionId);
          const names = connection?.agreed_names ?? connection;
          return (
            <li key={connectionId}>
              <a href={hrefOf(placeOf({ kind: 'request', id, connectionId }))}>
                {names ? namesInWords(names) : connectionId}
              </a>
              {names && <Muted> {connectionId}</Muted>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
