import { Fragment, useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { CheckField } from '../../ui/Field.tsx';
import { Form } from '../../ui/Form.tsx';
import { Facts, Notice, Stack } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { useStaysOpen } from '../../ui/stays-open.ts';
import { Countdown } from '../../ui/Time.tsx';
import { scopeInWords } from './scopes.ts';

export type Asker = Readonly<{
  agent_name: string;
  merchant_name: string;
  merchant_domain: string;
  requested_scopes: readonly string[];
  expires_at: string;
  label?: string | null;
}>;

type DecisionProps = Readonly<{
  asker: Asker;
  approve: (scopes: readonly string[]) => Promise<unknown>;
  reject: () => Promise<unknown>;
}>;

/** Who asks for which scopes, and which of them the person grants: fewer if they like, never more. */
export function Decision({ asker, approve, reject }: DecisionProps) {
  const [error, setError] = useState<unknown>();
  const [isRejecting, setRejecting] = useState(false);
  useStaysOpen(isRejecting);
  const [hasNone, setNone] = useState(false);
  const { agent_name, merchant_name, merchant_domain, requested_scopes, expires_at, label } = asker;

  const submit = async (form: FormData): Promise<void> => {
    const scopes = form.getAll('scopes').map(String);
    setNone(scopes.length === 0);
    if (scopes.length > 0) await approve(scopes);
  };
  const turnDown = async (): Promise<void> => {
    setRejecting(true);
    setError(undefined);
    await reject().catch(setError);
    setRejecting(false);
  };

  return (
    <Form onSubmit={submit} fields={['scopes']} label="Connection">
      {({ isPending }) => (
        <Stack>
          {error !== undefined && <ErrorNotice error={error} />}
          <Facts
            facts={[
              ['Merchant', <strong key="merchant">{merchant_name}</strong>],
              [
                'Domain',
                <Fragment key="domain">
                  <span>{merchant_domain}</span> <Status tone="good">Proven</Status>
                </Fragment>,
              ],
              ['Agent', agent_name],
              ...(label ? ([['Connect Key', label]] as const) : []),
              ['Decide within', <Countdown key="until" until={expires_at} over="too late" />],
            ]}
          />
          <CheckField
            label="It may"
            name="scopes"
            hint="Untick what it does not need."
            chosen={requested_scopes}
            choices={requested_scopes.map((scope) => ({
              value: scope,
              label: (
                <>
                  {scopeInWords(scope)} <small>({scope})</small>
                </>
              ),
            }))}
          />
          {hasNone && <Notice tone="warn">Leave at least one, or reject the connection.</Notice>}
          <DialogEnd>
            <Button type="button" isPending={isRejecting} isDisabled={isPending} onPress={() => void turnDown()}>
              Reject
            </Button>
            <Button type="submit" look="main" isPending={isPending} isDisabled={isRejecting}>
              Approve connection
            </Button>
          </DialogEnd>
        </Stack>
      )}
    </Form>
  );
}
