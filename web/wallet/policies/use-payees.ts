import { useQuery } from '@tanstack/react-query';
import { useWallet } from '../device/use-wallet.ts';
import { paymentsQuery } from '../review/queries.ts';

export type KnownPayee = Readonly<{ id: string; name: string; domain: string; connectionId: string; asset: string }>;

/** The payees that this device was asked to pay: the ones whose names it knows. */
export function usePayees(): readonly KnownPayee[] {
  const { client } = useWallet();
  const { data = [] } = useQuery(paymentsQuery(client));
  const known = new Map<string, KnownPayee>();
  for (const { recipientId, payee, connectionId, facts } of data) {
    const one = { id: recipientId, name: payee.name, domain: payee.domain, connectionId, asset: facts.asset };
    if (!known.has(recipientId + connectionId)) known.set(recipientId + connectionId, one);
  }
  return [...known.values()];
}
