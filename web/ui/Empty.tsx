import styles from './Empty.module.css';

/** Nothing here yet, and what to do about it. */
export const Empty = ({
  title,
  children,
  action,
}: Readonly<{ title: string; children?: React.ReactNode; action?: React.ReactNode }>) => (
  <div className={styles['empty']}>
    <p className={styles['title']}>{title}</p>
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
);
