import { LinkButton } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { PageHead } from '../ui/Layout.tsx';

/** Unknown, mistyped or another device's: the service does not say which. */
export const NotFound = () => (
  <>
    <PageHead title="Not found" />
    <Empty title="There is nothing here" action={<LinkButton to="/requests">Back to Requests</LinkButton>}>
      The address may be mistyped, or what was here no longer exists.
    </Empty>
  </>
);
