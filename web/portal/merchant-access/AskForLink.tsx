import { useState } from 'react';
import { serviceNow } from '../../live/clock.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Muted, Stack } from '../../ui/Layout.tsx';
import { useNow } from '../../ui/Time.tsx';
import { access } from './access.ts';

const PAUSE_SECONDS = 30;

type Sent = Readonly<{ email: string; at: number }>;

/** Requests the sign-in mail. The response is the same whether or not the address is known. */
export function AskForLink({ onSent, waits = false }: Readonly<{ onSent?: () => void; waits?: boolean }>) {
  const [sent, setSent] = useState<Sent>();
  const send = async (email: string): Promise<void> => {
    await access.register(email);
    setSent({ email, at: serviceNow() });
    onSent?.();
  };
  if (sent !== undefined) return <LookIntoYourMail sent={sent} send={send} waits={waits} />;
  return (
    <Form fields={['email']} onSubmit={(form) => send(textIn(form, 'email'))}>
      {({ isPending }) => (
        <>
          <TextField label="E-mail" name="email" type="email" autoComplete="email" required />
          <Button type="submit" look="main" isPending={isPending}>
            Send me a link
          </Button>
        </>
      )}
    </Form>
  );
}

type LookProps = Readonly<{
  sent: Sent;
  send: (email: string) => Promise<void>;
  /** The page should stay open: it holds something that the person typed. */
  waits: boolean;
}>;

function LookIntoYourMail({ sent, send, waits }: LookProps) {
  const now = useNow(1_000);
  const left = Math.ceil(PAUSE_SECONDS - (now - sent.at) / 1000);
  return (
    <Stack>
      <h2>Look into your mail</h2>
      <p>
        If <strong>{sent.email}</strong> is an address we can write to, a link is on its way. It works once, for 15
        minutes. {waits ? 'Leave this page open.' : 'You can close this page.'}
      </p>
      <Form fields={[]} onSubmit={() => send(sent.email)}>
        {({ isPending }) => (
          <>
            <Button type="submit" isPending={isPending} isDisabled={left > 0}>
              Send it again
            </Button>
            {left > 0 && <Muted>Nothing came? You can send it again in {Math.min(left, PAUSE_SECONDS)} seconds.</Muted>}
          </>
        )}
      </Form>
    </Stack>
  );
}
