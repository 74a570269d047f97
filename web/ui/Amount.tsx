import styles from './Amount.module.css';

/** Exactly as it is, digit by digit; never through a number. */
export function Amount({ amount, asset, network }: Readonly<{ amount: string; asset: string; network?: string }>) {
  return (
    <span className={styles['amount']} translate="no">
      <strong>{amount}</strong> {asset}
      {network !== undefined && <span className={styles['network']}> on {network}</span>}
    </span>
  );
}
