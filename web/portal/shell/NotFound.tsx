import { isCode } from '../../live/errors.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { PageHead } from '../../ui/Layout.tsx';

/** Before its first domain is proven an organization has nothing, so whatever address is typed names nothing of its own. */
export const isNotFound = (error: unknown): boolean => isCode(error, 'resource_not_found', 'merchant_not_active');

/** What does not exist and what belongs to somebody else look the same. */
export const NotFound = ({ back = '/', name = 'Home' }: Readonly<{ back?: string; name?: string }>) => (
  <>
    <PageHead title="Not found">There is nothing here under this address.</PageHead>
    <div>
      <LinkButton to={back}>Back to {name}</LinkButton>
    </div>
  </>
);
