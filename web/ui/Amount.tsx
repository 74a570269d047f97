import styles from './Amount.module.css';

/** Shown exactly as given, digit by digit; never converted to a number. */
export function Amount({ amount, asset, network }: Readonly<{ amount: string; asset: string; network?: string }>) {
  return (
    <span className={styles['amount']} translate="no">
      <strong>{amount}</strong> {asset}
      {network !== undefined && <span className={styles['network']}> on {network}</span>}
    </span>
  );
}
