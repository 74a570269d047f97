import { Button } from '../../ui/Button.tsx';
import styles from './Payments.module.css';

export const SearchBox = ({ text, onText }: Readonly<{ text: string; onText: (text: string) => void }>) => (
  <div className={styles['search']}>
    <input
      type="search"
      aria-label="Find a payment"
      placeholder="Request id, transaction id, idempotency key or hash"
      value={text}
      spellCheck={false}
      autoCapitalize="none"
      onChange={(event) => onText(event.currentTarget.value)}
    />
    <Button type="submit">Find</Button>
  </div>
);
