import { Heading } from '../../ui/Heading.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { AskForLink } from './AskForLink.tsx';
import { Entrance } from './Entrance.tsx';

export const SignIn = () => (
  <Entrance>
    <div>
      <Heading>Sign in</Heading>
      <p>
        <Muted>There is no password. We send you a link, both for signing in and for signing up.</Muted>
      </p>
    </div>
    <AskForLink />
  </Entrance>
);
