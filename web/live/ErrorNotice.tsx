import { type Issue } from '../../sdk/src/errors.ts';
import { Button } from '../ui/Button.tsx';
import { useExplained } from './errors.ts';
import styles from './ErrorNotice.module.css';

type ErrorNoticeProps = Readonly<{ error: unknown; issues?: readonly Issue[]; onRetry?: () => void }>;

/** What went wrong, what to do about it, and the request id by which the operator finds it in the logs. */
export function ErrorNotice({ error, issues = [], onRetry }: ErrorNoticeProps) {
  const { message, recovery, code, requestId } = useExplained(error);
  return (
    <div className={styles['notice']} role="alert">
      <p className={styles['message']}>{message}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ field, message: problem }) => (
            <li key={field + problem}>
              <code>{field}</code> {problem}
            </li>
          ))}
        </ul>
      )}
      {recovery !== undefined && <p>{recovery}</p>}
      <p className={styles['small']}>
        <code>{code}</code>
        {requestId !== undefined && (
          <>
            {' · request '}
            <code>{requestId}</code>
          </>
        )}
      </p>
      {onRetry !== undefined && (
        <div>
          <Button size="small" onPress={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}
