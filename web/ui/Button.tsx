import { hrefOf } from './router.tsx';
import styles from './Button.module.css';

type Look = 'main' | 'plain' | 'quiet' | 'danger';
type Size = 'small' | 'normal';

export type ButtonProps = Readonly<{
  look?: Look;
  size?: Size;
  type?: 'button' | 'submit';
  onPress?: () => unknown;
  isDisabled?: boolean;
  /** Its action is in progress: the button stays focusable and announced, and pressing it again does nothing. */
  isPending?: boolean;
  id?: string;
  autoFocus?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-expanded'?: boolean;
  children: React.ReactNode;
}>;

/**
 * The browser's own button. The library's announces the pending state in an element that stays behind without a name
 * after the button is gone, which axe rightly reports.
 */
export function Button({
  look = 'plain',
  size = 'normal',
  type = 'button',
  isDisabled = false,
  isPending = false,
  onPress,
  ...rest
}: ButtonProps) {
  const press = (event: React.MouseEvent): void => {
    if (isPending) event.preventDefault();
    else onPress?.();
  };
  return (
    <button
      {...rest}
      type={type}
      disabled={isDisabled}
      aria-disabled={isPending || undefined}
      aria-busy={isPending || undefined}
      className={classesOf(look, size)}
      onClick={press}
    />
  );
}

/** A link that looks like a button. */
export function LinkButton({
  to,
  look = 'plain',
  size = 'normal',
  children,
}: Readonly<{ to: string; look?: Look; size?: Size; children: React.ReactNode }>) {
  return (
    <a href={hrefOf(to)} className={classesOf(look, size)}>
      {children}
    </a>
  );
}

const classesOf = (look: Look, size: Size): string => [styles['button'], styles[look], styles[size]].join(' ');
