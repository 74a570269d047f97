import { createContext, useContext } from 'react';
import { type MerchantClient } from '../../sdk/src/merchant/client.ts';
import { type Merchant } from '../../sdk/src/types/merchant.ts';
import { portalSession } from './session.ts';

type Signed = Readonly<{ client: MerchantClient; merchant: Merchant }>;

export const MerchantContext = createContext<Signed | undefined>(undefined);

/** The signed-in merchant and its client. */
export function useMerchant(): Signed {
  const signed = useContext(MerchantContext);
  if (signed === undefined) throw new Error('only pages behind the sign-in have a merchant');
  return signed;
}

/** Tells this tab and the others that the data cached under these keys is stale. */
export const changed = (...keys: readonly string[]): void => portalSession.changed([...keys, 'progress']);
