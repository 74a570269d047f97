import { Time } from './Time.tsx';
import { type Tone } from './Status.tsx';
import styles from './Timeline.module.css';

export type Moment = Readonly<{
  key: string;
  at: string;
  title: React.ReactNode;
  tone: Tone;
  /** Who did it, with which credential, on what evidence. */
  children?: React.ReactNode;
}>;

/** What happened, in order. */
export const Timeline = ({ label, moments }: Readonly<{ label: string; moments: readonly Moment[] }>) => (
  <ol className={styles['timeline']} aria-label={label}>
    {moments.map(({ key, at, title, tone, children }) => (
      <li key={key} className={styles[tone]}>
        <div className={styles['head']}>
          <strong>{title}</strong>
          <Time at={at} />
        </div>
        {children !== undefined && <div className={styles['body']}>{children}</div>}
      </li>
    ))}
  </ol>
);
