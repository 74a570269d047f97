import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { hrefOf } from './router.tsx';
import styles from './Button.module.css';

type Look = 'main' | 'plain' | 'quiet' | 'danger';

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'style'> &
  Readonly<{ look?: Look; size?: 'small' | 'normal' }>;

/** While it is pending it can be reached and heard, and pressing it again does nothing. */
export function Button({ look = 'plain', size = 'normal', ...props }: ButtonProps) {
  return <AriaButton {...props} className={classesOf(look, size)} />;
}

/** Looks like a button, but goes somewhere. */
export function LinkButton({
  to,
  look = 'plain',
  size = 'normal',
  children,
}: Readonly<{ to: string; look?: Look; size?: 'small' | 'normal'; children: React.ReactNode }>) {
  return (
    <a href={hrefOf(to)} className={classesOf(look, size)}>
      {children}
    </a>
  );
}

const classesOf = (look: Look, size: 'small' | 'normal'): string =>
  [styles['button'], styles[look], styles[size]].join(' ');
