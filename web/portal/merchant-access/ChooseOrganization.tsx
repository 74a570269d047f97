import { useRef, useState } from 'react';
import { type VerifiedEmail } from '../../../sdk/src/merchant/access.ts';
import { isCode } from '../../live/errors.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Heading } from '../../ui/Heading.tsx';
import { Muted, Stack } from '../../ui/Layout.tsx';
import { portalSession } from '../session.ts';
import { access } from './access.ts';
import styles from './Entrance.module.css';

type Props = Readonly<{ verified: VerifiedEmail; onDead: () => void; onOpened: () => void }>;

export function ChooseOrganization({ verified, onDead, onOpened }: Props) {
  const { merchants } = verified;
  const [error, setError] = useState<unknown>();
  const [isOpening, setOpening] = useState(false);
  /** The session grant, once the organization exists: submitting the form again does not create a second one. */
  const next = useRef<string>(undefined);

  const openWith = async (grant: string, choice?: string): Promise<void> => {
    const input = { grant, ...(choice === undefined ? {} : { choice }), delivery: 'cookie' } as const;
    portalSession.open(await access.openSession(input));
    onOpened();
  };

  const deadOr = (caught: unknown): unknown => {
    if (isCode(caught, 'invalid_grant')) onDead();
    return caught;
  };

  const choose = async (choice: string): Promise<void> => {
    if (isOpening) return;
    setOpening(true);
    await openWith(verified.session_grant, choice).catch((caught: unknown) => setError(deadOr(caught)));
    setOpening(false);
  };

  const create = async (form: FormData): Promise<void> => {
    try {
      const grant = verified.session_grant;
      next.current ??= (await access.createMerchant({ grant, name: textIn(form, 'name') })).next_grant;
      await openWith(next.current);
    } catch (caught) {
      throw deadOr(caught);
    }
  };

  return (
    <Stack>
      <Heading>Choose your organization</Heading>
      {error !== undefined && <ErrorNotice error={error} />}
      {merchants.length > 0 && (
        <ul className={styles['list']}>
          {merchants.map(({ choice, name, status }) => (
            <li key={choice}>
              <Button onPress={() => choose(choice)} isPending={isOpening} aria-label={name}>
                {name}
                {status === 'pending' && <Muted>not active yet</Muted>}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={merchants.length > 0 ? styles['or'] : undefined}>
        <Form fields={['name']} onSubmit={create}>
          {({ isPending }) => (
            <>
              <TextField
                label="Name"
                name="name"
                autoComplete="organization"
                hint={
                  merchants.length > 0
                    ? 'Or create a new one. People see this name before they pay.'
                    : 'People see this name before they pay.'
                }
              />
              <Button type="submit" look="main" isPending={isPending}>
                Create organization
              </Button>
            </>
          )}
        </Form>
      </div>
    </Stack>
  );
}
