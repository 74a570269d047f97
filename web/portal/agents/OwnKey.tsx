import { useState } from 'react';
import { type Agent, type RegisteredCredential } from '../../../sdk/src/types/merchant.ts';
import { serviceNow } from '../../live/clock.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyBlock, CopyText } from '../../ui/Copy.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Muted, Stack } from '../../ui/Layout.tsx';
import { endOf, localDay } from '../../ui/local-day.ts';
import { Countdown } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { changed, useMerchant } from '../use-merchant.ts';
import { newKid, YEAR_MS } from './make-key.ts';

type Challenged = Readonly<{ credential: RegisteredCredential; challenge: string; expiresAt: string }>;
type Props = Readonly<{ agent: Agent; isOpen: boolean; onClose: () => void }>;

/** Registers a public key and lets its owner prove possession of the private key, wherever that is kept. */
export function OwnKey({ agent, isOpen, onClose }: Props) {
  const [challenged, setChallenged] = useState<Challenged>();
  const close = (): void => {
    setChallenged(undefined);
    onClose();
  };
  return (
    <Dialog title="Use my own key" isOpen={isOpen} onClose={close} width="wide">
      {challenged === undefined ? (
        <Register agent={agent} onChallenged={setChallenged} onClose={close} />
      ) : (
        <Prove agent={agent} challenged={challenged} onClose={close} />
      )}
    </Dialog>
  );
}

function Register({
  agent,
  onChallenged,
  onClose,
}: Readonly<{ agent: Agent; onChallenged: (challenged: Challenged) => void; onClose: () => void }>) {
  const { client } = useMerchant();
  const once = useOnce();
  const register = async (form: FormData): Promise<void> => {
    const same = {
      kid: textIn(form, 'kid'),
      public_key: textIn(form, 'public_key'),
      expires_at: endOf(textIn(form, 'expires_at')),
    };
    const input = { ...same, not_before: new Date(serviceNow()).toISOString() };
    const answer = await once.send(input, (...sent) => client.agents.registerCredential(agent.agent_id, ...sent), same);
    changed('agents');
    onChallenged({
      credential: answer.credential,
      challenge: answer.proof_challenge,
      expiresAt: answer.proof_challenge_expires_at,
    });
  };
  return (
    <Form fields={['kid', 'public_key', 'not_before', 'expires_at']} onSubmit={register}>
      {({ isPending }) => (
        <>
          <TextField
            label="Key id"
            name="kid"
            defaultValue={newKid()}
            spellCheck={false}
            hint="The agent names it when it signs in."
          />
          <TextArea
            label="Public key"
            name="public_key"
            rows={2}
            spellCheck={false}
            hint="Ed25519, 32 bytes in base64url or base64"
          />
          <TextField
            label="Expires at"
            name="expires_at"
            type="date"
            defaultValue={localDay(serviceNow() + YEAR_MS)}
            hint="At the end of this day"
          />
          <DialogEnd>
            <Button onPress={onClose}>Cancel</Button>
            <Button type="submit" look="main" isPending={isPending}>
              Use my own key
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}

function Prove({
  agent,
  challenged,
  onClose,
}: Readonly<{ agent: Agent; challenged: Challenged; onClose: () => void }>) {
  const { client } = useMerchant();
  const { credential, challenge, expiresAt } = challenged;
  const prove = async (form: FormData): Promise<void> => {
    const proof = { challenge, signature: textIn(form, 'signature') };
    await client.agents.activateCredential(agent.agent_id, credential.credential_id, proof);
    changed('agents');
    toast('The key is active.');
    onClose();
  };
  return (
    <Stack>
      <p>
        Sign this challenge with the private key, exactly as it stands.{' '}
        <Muted>
          Valid for <Countdown until={expiresAt} />
        </Muted>
      </p>
      <CopyText text={challenge} what="challenge" />
      <CopyBlock label="With OpenSSL 3 and the key in agent.pem" text={command(challenge)} />
      <Form fields={['signature', 'challenge']} onSubmit={prove}>
        {({ isPending }) => (
          <>
            <TextArea
              label="Signature"
              name="signature"
              rows={2}
              spellCheck={false}
              hint="64 bytes in base64url or base64"
            />
            <DialogEnd>
              <Button onPress={onClose}>Cancel</Button>
              <Button type="submit" look="main" isPending={isPending}>
                Prove possession
              </Button>
            </DialogEnd>
          </>
        )}
      </Form>
    </Stack>
  );
}

const command = (challenge: string): string =>
  [
    `printf '%s' '${challenge}' > challenge.txt`,
    'openssl pkeyutl -sign -rawin -inkey agent.pem -in challenge.txt | base64 | tr -d "\\n"',
  ].join('\n');
