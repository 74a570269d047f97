import styles from './Status.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'busy';

/** A state in a word. The colour adds nothing that the word does not say. */
export const Status = ({ tone, children }: Readonly<{ tone: Tone; children: React.ReactNode }>) => (
  <span className={`${styles['status']} ${styles[tone]}`}>{children}</span>
);
