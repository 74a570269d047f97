import { type RefObject } from 'react';
import styles from './SkipLink.module.css';

/** The first stop for who has no mouse: past the navigation, to the page itself. */
export const SkipLink = ({ main }: Readonly<{ main: RefObject<HTMLElement | null> }>) => (
  <a className={styles['skip']} href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
    Skip to the page
  </a>
);
