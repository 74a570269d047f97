import { useEffect, useRef, useState } from 'react';
import { type VerifiedEmail } from '../../../sdk/src/merchant/access.ts';
import { isCode } from '../../live/errors.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Heading } from '../../ui/Heading.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { goTo } from '../../ui/router.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { access } from './access.ts';
import { AskForLink } from './AskForLink.tsx';
import { ChooseOrganization } from './ChooseOrganization.tsx';
import { Entrance } from './Entrance.tsx';
import { useLinkToken } from './link-token.ts';

type State =
  | Readonly<{ kind: 'asking' | 'dead' }>
  | Readonly<{ kind: 'failed'; error: unknown }>
  | Readonly<{ kind: 'verified'; verified: VerifiedEmail }>;

/** Spends the link's token once, and lets the person choose an organization. */
export function Verify() {
  const token = useLinkToken();
  const [state, setState] = useState<State>({ kind: 'asking' });
  const spent = useRef<string>(undefined);

  const spend = (link: string): void => {
    setState({ kind: 'asking' });
    access.verifyEmail(link).then(
      (verified) => setState({ kind: 'verified', verified }),
      (error: unknown) =>
        setState(isCode(error, 'invalid_grant', 'validation_failed') ? { kind: 'dead' } : { kind: 'failed', error }),
    );
  };

  useEffect(() => {
    if (token === undefined || token === '') return setState({ kind: 'dead' });
    if (spent.current === token) return;
    spent.current = token;
    spend(token);
  }, [token]);

  return (
    <Entrance>
      {state.kind === 'asking' && <Skeleton lines={3} />}
      {state.kind === 'failed' && (
        <>
          <Heading>Not verified yet</Heading>
          <ErrorNotice error={state.error} onRetry={() => spend(token ?? '')} />
        </>
      )}
      {state.kind === 'dead' && <DeadLink />}
      {state.kind === 'verified' && (
        <ChooseOrganization
          verified={state.verified}
          onDead={() => setState({ kind: 'dead' })}
          onOpened={() => goTo('/', 'replace')}
        />
      )}
    </Entrance>
  );
}

/** Unknown, used and expired links read the same. */
const DeadLink = () => (
  <>
    <div>
      <Heading>This link does not work</Heading>
      <p>
        <Muted>Links work once and for 15 minutes. Ask for a new one; whatever you set up is still there.</Muted>
      </p>
    </div>
    <AskForLink />
  </>
);
