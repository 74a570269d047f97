import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import styles from './Copy.module.css';

/** What a screen reader says. Where the button has a name of its own, its text is not read. */
const ANNOUNCED = { idle: '', copied: 'Copied', refused: 'Not copied. Select it and copy it.' } as const;

/** Confirms when it has copied; where the browser does not allow it, the text can be selected by hand. */
export function CopyButton({ text, label = 'Copy', what }: Readonly<{ text: string; label?: string; what?: string }>) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2_500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    // Only pages served over https or from localhost have a clipboard.
    const copied = (navigator.clipboard as Clipboard | undefined)?.writeText(text) ?? Promise.reject(new Error());
    copied.then(
      () => setState('copied'),
      () => setState('refused'),
    );
  };
  return (
    <>
      <Button size="small" onPress={copy} {...(what === undefined ? {} : { 'aria-label': `${label} ${what}` })}>
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Mark and copy it' : label}
      </Button>
      <span className={styles['heard']} role="status">
        {ANNOUNCED[state]}
      </span>
    </>
  );
}

/** A value to copy, shown in full, with its button. */
export function CopyText({ text, what, secret = false }: Readonly<{ text: string; what?: string; secret?: boolean }>) {
  return (
    <div className={styles['copy']}>
      <code className={styles['text']} translate="no" {...(secret ? { 'data-secret': '' } : {})}>
        {text}
      </code>
      <CopyButton text={text} {...(what === undefined ? {} : { what })} />
    </div>
  );
}

/** Several lines to copy. */
export function CopyBlock({ text, label }: Readonly<{ text: string; label: string }>) {
  return (
    <figure className={styles['block']} aria-label={label}>
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} what={label} />
      </figcaption>
      {/* Long lines scroll, which must also be possible with the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={label} translate="no">
        {text}
      </pre>
    </figure>
  );
}
