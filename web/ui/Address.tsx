import styles from './Address.module.css';

/** The full address in groups of four, so that two can be compared by eye. Selected and copied, it has no gaps. */
export function Address({ address }: Readonly<{ address: string }>) {
  const groups = address.match(/.{1,4}/gsu) ?? [];
  return (
    <code className={styles['address']} translate="no" aria-label={address} role="img">
      {groups.map((group, at) => (
        <span key={at} aria-hidden="true">
          {group}
          <wbr />
        </span>
      ))}
    </code>
  );
}
