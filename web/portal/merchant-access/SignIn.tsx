import { Heading } from '../../ui/Heading.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { AskForLink } from './AskForLink.tsx';
import { Entrance } from './Entrance.tsx';

export const SignIn = () => (
  <Entrance>
    <div>
      <Heading>Sign in</Heading>
      <p>
        <Muted>There is no password. We send you a link, for signing in and for signing up alike.</Muted>
      </p>
    </div>
    <AskForLink />
  </Entrance>
);
