import icon from '../../ui/icon.svg';
import styles from './Entrance.module.css';

/** The frame of every page before sign-in. */
export const Entrance = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <main className={styles['entrance']}>
    <div className={styles['panel']}>
      <p className={styles['brand']}>
        <img src={icon} alt="" width="32" height="32" />
        Merchant portal
      </p>
      {children}
    </div>
  </main>
);
