import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { ErrorNotice } from '../live/ErrorNotice.tsx';
import { usePlace } from '../ui/router.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Entrance } from './merchant-access/Entrance.tsx';
import { SignIn } from './merchant-access/SignIn.tsx';
import { SignInAgain } from './merchant-access/SignInAgain.tsx';
import { Verify } from './merchant-access/Verify.tsx';
import { portalSession } from './session.ts';
import { Inside } from './shell/Inside.tsx';
import { MerchantContext } from './use-merchant.ts';

/** Signed out, signing in with a link, or signed in. */
export function App() {
  const state = useSyncExternalStore(portalSession.subscribe, () => portalSession.state);
  const { path } = usePlace();
  const queries = useQueryClient();
  useEffect(() => {
    portalSession.onChanged = (keys) =>
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => keys === 'all' || keys.includes(String(queryKey[0])),
      });
    void portalSession.read();
    const lookAgain = (): void => {
      if (document.visibilityState === 'visible') void portalSession.read();
    };
    document.addEventListener('visibilitychange', lookAgain);
    return () => document.removeEventListener('visibilitychange', lookAgain);
  }, [queries]);

  if (path === '/verify') return <Verify />;
  if (state.kind === 'signed-out') return <SignIn />;
  if (state.kind === 'signed-in') {
    const { client, merchant, isLost } = state;
    return (
      <MerchantContext value={{ client, merchant }}>
        <Inside />
        <SignInAgain isOpen={isLost} />
      </MerchantContext>
    );
  }
  return (
    <Entrance>
      {state.kind === 'failed' ? (
        <ErrorNotice error={state.error} onRetry={() => void portalSession.read()} />
      ) : (
        <Skeleton lines={2} />
      )}
    </Entrance>
  );
}
