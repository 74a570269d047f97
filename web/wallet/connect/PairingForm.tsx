import { useState } from 'react';
import { type PairingSession } from '../../../sdk/src/types/connect.ts';
import { isCode } from '../../live/errors.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Card, Muted, Row, Stack } from '../../ui/Layout.tsx';
import { usePlace } from '../../ui/router.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { canScan } from './detector.ts';
import { Scanner } from './Scanner.tsx';
import { readPairing } from './pairing-link.ts';

const UNKNOWN = 'Nobody waits under this code. It may be mistyped, already used, or older than ten minutes.';

/** The other way round: the agent shows a code, and the person enters it here. */
export function PairingForm({ onFound }: Readonly<{ onFound: (session: PairingSession, code: string) => void }>) {
  const { client } = useWallet();
  // A link to the wallet may contain the code.
  const brought = usePlace().query.get('pairing') ?? '';
  const [text, setText] = useState(brought);
  const [taken, setTaken] = useState(brought);
  // The link may be opened while this page is already shown.
  if (brought !== taken) {
    setTaken(brought);
    if (brought !== '') setText(brought);
  }
  const [problem, setProblem] = useState<string>();
  const [scans, setScans] = useState(false);

  const look = async (typed: string): Promise<void> => {
    const pairing = readPairing(typed);
    if (pairing === undefined) return setProblem('Enter the eight characters the agent shows, or its whole link.');
    setProblem(undefined);
    const { code, sessionId } = pairing;
    try {
      onFound(
        sessionId === undefined ? await client.findPairing(code) : await client.readPairing(sessionId, code),
        code,
      );
      setText('');
    } catch (error) {
      if (!isCode(error, 'resource_not_found')) throw error;
      setProblem(UNKNOWN);
    }
  };

  return (
    <Card>
      <Stack>
        <h2>Answer an agent</h2>
        <Muted>An agent that wants to connect shows a code, a link or a QR code.</Muted>
        <Form onSubmit={(form) => look(textIn(form, 'code'))} fields={['code']} label="Answer an agent">
          {({ isPending }) => (
            <>
              <TextField
                label="Pairing code or link"
                name="code"
                value={text}
                onChange={({ target }) => setText(target.value)}
                autoCapitalize="characters"
                spellCheck={false}
                problem={problem}
              />
              <Row>
                <Button type="submit" look="main" isPending={isPending}>
                  Continue
                </Button>
                {canScan() && (
                  <Button type="button" onPress={() => setScans(true)}>
                    Scan
                  </Button>
                )}
              </Row>
            </>
          )}
        </Form>
        <Dialog title="Scan the agent’s code" isOpen={scans} onClose={() => setScans(false)}>
          {scans && (
            <Scanner
              onText={(scanned) => {
                setScans(false);
                setText(scanned);
              }}
            />
          )}
        </Dialog>
      </Stack>
    </Card>
  );
}
