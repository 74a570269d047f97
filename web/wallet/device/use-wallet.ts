import { createContext, use, useSyncExternalStore } from 'react';
import { type Unlocked, wallet, type WalletState } from './wallet.ts';

export const useWalletState = (): WalletState => useSyncExternalStore(wallet.subscribe, () => wallet.state);

export const UnlockedContext = createContext<Unlocked | undefined>(undefined);

/** For pages that exist only while the wallet is unlocked. */
export function useWallet(): Unlocked {
  const unlocked = use(UnlockedContext);
  if (unlocked === undefined) throw new Error('this page needs an unlocked wallet');
  return unlocked;
}
