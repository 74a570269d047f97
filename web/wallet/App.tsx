import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWalletState } from './device/use-wallet.ts';
import { SetUp } from './device/SetUp.tsx';
import { Unlock } from './device/Unlock.tsx';
import { Entrance } from './Entrance.tsx';
import { Notice } from '../ui/Layout.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { OpenWallet } from './OpenWallet.tsx';

/** The wallet's state decides what is shown, then the location: while locked, there is only the unlock page. */
export function App() {
  const state = useWalletState();
  const queries = useQueryClient();
  const { kind } = state;
  useEffect(() => {
    // What was read while the wallet was unlocked must not stay in memory.
    if (kind !== 'unlocked') queries.clear();
  }, [kind, queries]);
  switch (state.kind) {
    case 'starting':
      return (
        <Entrance title="Wallet">
          <Skeleton />
        </Entrance>
      );
    case 'unusable':
      return (
        <Entrance title="Wallet">
          <Notice tone="bad" title="This page cannot be trusted with a key">
            Browsers store keys safely only on https pages. Open the wallet by its https address.
          </Notice>
        </Entrance>
      );
    case 'fresh':
      return <SetUp />;
    case 'locked':
      return <Unlock deviceName={state.deviceName} />;
    case 'unlocked':
      return <OpenWallet unlocked={state} />;
    default:
      return state satisfies never;
  }
}
