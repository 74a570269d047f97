import { type RefObject } from 'react';
import styles from './SkipLink.module.css';

/** The first tab stop for keyboard users: skips the navigation. */
export const SkipLink = ({ main }: Readonly<{ main: RefObject<HTMLElement | null> }>) => (
  <a className={styles['skip']} href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
    Skip to the page
  </a>
);
