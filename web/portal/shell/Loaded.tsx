import { isCode } from '../../live/errors.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { LinkButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Inside.module.css';

type LoadedProps<T> = Readonly<{
  query: Readonly<{
    data: T | undefined;
    error: Error | null;
    refetch: () => Promise<unknown>;
    /** The data belongs to the previous filter or moment, and is shown until the new data has loaded. */
    isPlaceholderData?: boolean;
  }>;
  children: (data: T) => React.ReactNode;
  lines?: number;
}>;

/** Loading, failed, or loaded. Loaded data stays: a failed refetch removes nothing. */
export function Loaded<T>({ query, children, lines = 4 }: LoadedProps<T>) {
  const { data, error, refetch, isPlaceholderData = false } = query;
  if (data !== undefined) {
    return (
      <div className={styles['loaded']} aria-busy={isPlaceholderData || undefined}>
        {children(data)}
      </div>
    );
  }
  if (error === null) return <Skeleton lines={lines} />;
  if (isCode(error, 'merchant_not_active')) return <NotActiveYet />;
  return <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

export const NotActiveYet = () => (
  <Empty
    title="First prove that a domain is yours"
    action={
      <LinkButton look="main" to="/domains">
        Go to Domains
      </LinkButton>
    }
  >
    People see the domain before they pay. Everything else opens once one is proven.
  </Empty>
);
