import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Muted, Row } from '../../ui/Layout.tsx';
import { Entrance } from '../Entrance.tsx';
import { passphraseIn } from '../keys/passphrase-in.ts';
import { MINIMUM_PASSPHRASE } from '../keys/vault.ts';
import { wallet } from './wallet.ts';

type Problems = Readonly<Partial<Record<'name' | 'passphrase' | 'repeated' | 'words', string>>>;

type Restored = Readonly<{ entropy?: Uint8Array; problem?: string }>;

const WORDS_PROBLEMS = {
  count: 'Enter all the words you were shown, usually 24.',
  checksum: 'These words do not belong together. One of them is wrong, or they are in the wrong order.',
} as const;

export function SetUp() {
  const [restores, setRestores] = useState(false);
  const [problems, setProblems] = useState<Problems>({});

  const submit = async (form: FormData): Promise<void> => {
    const deviceName = textIn(form, 'name');
    const passphrase = passphraseIn(form);
    const words: Restored = restores ? await wordsIn(textIn(form, 'words')) : {};
    const found: Problems = {
      ...(deviceName === '' ? { name: 'Give this device a name, such as “My phone”.' } : {}),
      ...(passphrase.length < MINIMUM_PASSPHRASE ? { passphrase: `At least ${MINIMUM_PASSPHRASE} characters.` } : {}),
      ...(passphraseIn(form, 'repeated') === passphrase ? {} : { repeated: 'This is not the same as above.' }),
      ...(words.problem === undefined ? {} : { words: words.problem }),
    };
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    await wallet.setUp({ deviceName, passphrase, ...(words.entropy ? { words: words.entropy } : {}) });
  };

  return (
    <Entrance
      title="Set up this device"
      lead="This wallet keeps its key in this browser, sealed with your passphrase. Nobody else has either, not even this service. It is for the Stellar test network."
    >
      <Form onSubmit={submit} fields={['name']} label="Set up this device">
        {({ isPending }) => (
          <>
            <TextField label="Device name" name="name" problem={problems.name} maxLength={80} autoComplete="off" />
            <TextField
              label="Passphrase"
              name="passphrase"
              type="password"
              autoComplete="new-password"
              problem={problems.passphrase}
              hint="Several words are better than one. It cannot be reset: without it, only your words restore the key."
            />
            <TextField
              label="Repeat passphrase"
              name="repeated"
              type="password"
              autoComplete="new-password"
              problem={problems.repeated}
            />
            {restores && (
              <TextArea
                label="Words"
                name="words"
                rows={4}
                autoFocus
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                problem={problems.words}
                hint="In the right order, separated by spaces."
              />
            )}
            <Row>
              <Button type="submit" look="main" isPending={isPending} {...(restores ? {} : { name: 'make' })}>
                {restores ? 'Restore from words' : 'Make a new key'}
              </Button>
              <Button type="button" look="plain" isDisabled={isPending} onPress={() => setRestores(!restores)}>
                {restores ? 'Make a new key' : 'Restore from words'}
              </Button>
            </Row>
            {isPending && <Muted>Sealing the key takes a few seconds, on purpose.</Muted>}
          </>
        )}
      </Form>
    </Entrance>
  );
}

/** The word list is large, so it is loaded only for a restore. */
async function wordsIn(typed: string): Promise<Restored> {
  const { readWords } = await import('../keys/recovery-words.ts');
  const read = readWords(typed);
  if ('entropy' in read) return read;
  if (read.problem === 'unknown') return { problem: `“${read.word}” is none of the words that keys are made of.` };
  return { problem: WORDS_PROBLEMS[read.problem] };
}
