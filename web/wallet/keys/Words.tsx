import styles from './Words.module.css';

/** Numbered, so that the words can be written down and compared one by one. */
export const Words = ({ words }: Readonly<{ words: string }>) => (
  <ol className={styles['words']} aria-label="Words" translate="no" data-secret="">
    {words.split(' ').map((word, at) => (
      <li key={at}>{word}</li>
    ))}
  </ol>
);
