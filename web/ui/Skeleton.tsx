import styles from './Skeleton.module.css';

/** Reserves the space that the content will take, so that nothing jumps when it arrives. */
export const Skeleton = ({ lines = 3, label = 'Loading' }: Readonly<{ lines?: number; label?: string }>) => (
  <div className={styles['skeleton']} role="status" aria-label={label} aria-busy="true">
    {Array.from({ length: lines }, (_, at) => (
      <div key={at} className={styles['line']} />
    ))}
  </div>
);
