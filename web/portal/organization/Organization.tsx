import { useSyncExternalStore } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Card, Facts, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { portalSession } from '../session.ts';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Sessions } from './Sessions.tsx';

export default function Organization() {
  const { client, merchant } = useMerchant();
  const state = useSyncExternalStore(portalSession.subscribe, () => portalSession.state);
  const rename = async (form: FormData): Promise<void> => {
    await client.rename({ version: merchant.version, name: textIn(form, 'name') });
    await portalSession.read();
    toast('The name is changed.');
  };
  return (
    <>
      <PageHead title="Organization">Who you are to the people who pay.</PageHead>
      <Card>
        <Facts
          facts={[
            ['Organization id', <code key="id">{merchant.merchant_id}</code>],
            [
              'Status',
              merchant.status === 'active' ? (
                <StatusWord key="status" status="active" />
              ) : (
                'Waiting for the proof of a domain'
              ),
            ],
            ['Since', <Time key="since" at={merchant.created_at} />],
            ...(state.kind === 'signed-in'
              ? [['This session ends', <Time key="ends" at={state.expiresAt} />] as const]
              : []),
          ]}
        />
      </Card>
      <Section title="What people see">
        <Card>
          <Form fields={['name']} onSubmit={rename}>
            {({ isPending }) => (
              <>
                <TextField
                  label="Name"
                  name="name"
                  defaultValue={merchant.name}
                  hint="People see it before they pay."
                />
                <Row>
                  <Button type="submit" look="main" isPending={isPending}>
                    Rename
                  </Button>
                </Row>
              </>
            )}
          </Form>
        </Card>
      </Section>
      <Section title="Sessions">
        <Sessions />
      </Section>
    </>
  );
}
