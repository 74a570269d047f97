import { useEffect, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { StaysOpenContext } from './stays-open.ts';
import styles from './Dialog.module.css';

let open = 0;

/**
 * The library makes the page behind a dialog inert. Assistive technology that does not support `inert` yet needs
 * `aria-hidden` as well, or it still finds the page's buttons, some of which share names with the dialog's.
 */
function useHiddenPage(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const page = document.getElementById('root');
    open += 1;
    page?.setAttribute('aria-hidden', 'true');
    return () => {
      open -= 1;
      if (open === 0) page?.removeAttribute('aria-hidden');
    };
  }, [isOpen]);
}

type DialogProps = Readonly<{
  title: string;
  isOpen: boolean;
  /** Undefined where closing would lose something that is shown once: then only a button in the content closes it. */
  onClose?: (() => void) | undefined;
  width?: 'normal' | 'wide';
  role?: 'dialog' | 'alertdialog';
  children: React.ReactNode;
}>;

/** The page behind it cannot be used until it closes. */
export function Dialog({ title, isOpen, onClose, width = 'normal', role = 'dialog', children }: DialogProps) {
  useHiddenPage(isOpen);
  const [isBusy, setBusy] = useState(false);
  const leave = isBusy ? undefined : onClose;
  const close = (isStillOpen: boolean): void => {
    if (!isStillOpen) leave?.();
  };
  return (
    <ModalOverlay
      className={styles['veil'] ?? ''}
      isOpen={isOpen}
      onOpenChange={close}
      isDismissable={false}
      isKeyboardDismissDisabled={leave === undefined}
    >
      <Modal className={`${styles['modal']} ${styles[width]}`}>
        <AriaDialog role={role} className={styles['dialog'] ?? ''}>
          <div className={styles['head']}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {leave !== undefined && (
              <button type="button" className={styles['close']} aria-label="Close" onClick={leave}>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d="M3 3l10 10M13 3L3 13" />
                </svg>
              </button>
            )}
          </div>
          <StaysOpenContext value={setBusy}>{children}</StaysOpenContext>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons that end a dialog; the one that carries out the action comes last. */
export const DialogEnd = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['end']}>{children}</div>
);
