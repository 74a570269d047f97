import { useEffect, useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Notice, Row } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Entrance } from '../Entrance.tsx';
import { wallet } from '../device/wallet.ts';
import { Words } from './Words.tsx';

/** Shown until confirmed once; after that the words are shown only on request and with the passphrase. */
export function KeepWords() {
  const [words, setWords] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    wallet.withWords(setWords).catch(setError);
  }, []);
  return (
    <Entrance
      title="Keep these words"
      lead="They are your key. With them you can restore your money on any device, and so can anyone else who sees them."
    >
      {error !== undefined && <ErrorNotice error={error} />}
      {words === undefined ? <Skeleton lines={6} /> : <Words words={words} />}
      <Notice tone="warn" title="They will not be shown again unless you ask">
        Write them on paper, in this order. No photo, no e-mail, no note in the cloud.
      </Notice>
      <Row>
        <Button look="main" isDisabled={words === undefined} onPress={() => void wallet.wordsKept().catch(setError)}>
          I have kept it
        </Button>
        {words !== undefined && <CopyButton text={words} />}
      </Row>
    </Entrance>
  );
}
