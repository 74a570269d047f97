import { isCode } from '../../live/errors.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { PageHead } from '../../ui/Layout.tsx';

/** Before its first domain is verified an organization owns nothing, so no address that is typed can exist. */
export const isNotFound = (error: unknown): boolean => isCode(error, 'resource_not_found', 'merchant_not_active');

/** What does not exist and what belongs to another merchant look the same. */
export const NotFound = ({ back = '/', name = 'Home' }: Readonly<{ back?: string; name?: string }>) => (
  <>
    <PageHead title="Not found">There is nothing here under this address.</PageHead>
    <div>
      <LinkButton to={back}>Back to {name}</LinkButton>
    </div>
  </>
);
