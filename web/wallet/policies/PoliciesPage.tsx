import { PageHead } from '../../ui/Layout.tsx';

export const PoliciesPage = () => <PageHead title="Policies" />;
