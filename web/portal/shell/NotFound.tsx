import { LinkButton } from '../../ui/Button.tsx';
import { PageHead } from '../../ui/Layout.tsx';

/** What does not exist and what belongs to somebody else look the same. */
export const NotFound = ({ back = '/', name = 'Home' }: Readonly<{ back?: string; name?: string }>) => (
  <>
    <PageHead title="Not found">There is nothing here under this address.</PageHead>
    <div>
      <LinkButton to={back}>Back to {name}</LinkButton>
    </div>
  </>
);
