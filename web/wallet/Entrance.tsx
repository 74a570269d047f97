import { Heading } from '../ui/Heading.tsx';
import styles from './Entrance.module.css';

/** A page without navigation, shown before the wallet is unlocked. */
export const Entrance = ({
  title,
  lead,
  children,
}: Readonly<{ title: string; lead?: React.ReactNode; children: React.ReactNode }>) => (
  <main className={styles['entrance']}>
    <div className={styles['brand']} aria-hidden="true">
      <img src={new URL('../ui/icon.svg', import.meta.url).href} alt="" width="40" height="40" />
    </div>
    <Heading>{title}</Heading>
    {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
    {children}
  </main>
);
