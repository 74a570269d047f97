import styles from './Status.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'busy';

/** A state in a word. The colour says nothing that the word does not. */
export const Status = ({ tone, children }: Readonly<{ tone: Tone; children: React.ReactNode }>) => (
  <span className={`${styles['status']} ${styles[tone]}`}>{children}</span>
);
