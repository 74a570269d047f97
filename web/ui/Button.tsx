import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { hrefOf } from './router.tsx';
import styles from './Button.module.css';

type Look = 'main' | 'plain' | 'quiet' | 'danger';

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'style'> &
  Readonly<{ look?: Look; size?: 'small' | 'normal' }>;

/**
 * While it is pending it can be reached and heard, and pressing it again does nothing. The library's own way says so in a
 * live region that outlives the button and then names nobody.
 */
export function Button({ look = 'plain', size = 'normal', isPending = false, ...props }: ButtonProps) {
  const { onPress, type, ...rest } = props;
  const pending = isPending ? ({ 'aria-disabled': true, 'aria-busy': true, 'data-pending': true } as const) : {};
  return (
    <AriaButton
      {...rest}
      {...pending}
      {...(onPress === undefined || isPending ? {} : { onPress })}
      {...(type === undefined ? {} : { type: isPending ? 'button' : type })}
      className={classesOf(look, size)}
    />
  );
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
