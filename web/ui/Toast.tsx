import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import styles from './Toast.module.css';

type Shown = Readonly<{ id: number; text: string }>;

const VISIBLE_MS = 6_000;

let toasts: readonly Shown[] = [];
let count = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Shown[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};

/** Announces that something is done. Nothing that needs an answer or must not be missed belongs in a toast. */
export function toast(text: string): void {
  const id = (count += 1);
  set([...toasts.slice(-2), { id, text }]);
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), VISIBLE_MS);
}

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Once per application, outside the page root: screen readers still reach it while a dialog is open. */
export function Toasts() {
  const shown = useSyncExternalStore(listen, () => toasts);
  return createPortal(
    <div className={styles['toasts']} role="status" aria-live="polite" data-react-aria-top-layer="true">
      {shown.map(({ id, text }) => (
        <p key={id} className={styles['toast']}>
          {text}
        </p>
      ))}
    </div>,
    document.body,
  );
}
