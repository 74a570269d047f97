import { useState } from 'react';
import { type ApiKey } from '../../../sdk/src/types/merchant.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { showOnce } from '../shell/secrets.ts';
import { StatusWord } from '../shell/StatusWord.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { changed, useMerchant } from '../use-merchant.ts';

export default function ApiKeys() {
  const { client } = useMerchant();
  const once = useOnce();
  const [isCreating, setCreating] = useState(false);
  const query = usePages(['api-keys'], async (cursor, signal) => {
    const page = await client.apiKeys.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.api_keys, next: page.next_cursor };
  });
  const create = async (form: FormData): Promise<void> => {
    const input = { name: textIn(form, 'name') };
    const { secret } = await once.send(input, (...sent) => client.apiKeys.create(...sent));
    showOnce({ title: 'The API key', secret, use: 'It is sent as the header x-svc-api-key.' });
    changed('api-keys');
    setCreating(false);
  };
  const revoke = async ({ api_key_id }: ApiKey): Promise<void> => {
    await client.apiKeys.revoke(api_key_id);
    changed('api-keys');
  };
  const open = (
    <Button look="main" onPress={() => setCreating(true)}>
      Create API key
    </Button>
  );
  return (
    <>
      <PageHead title="API keys" action={open}>
        For your servers that make agent payments within a policy. Use one key for each, so that you can revoke one
        without the others.
      </PageHead>
      <Loaded query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="No API key yet">Only servers that pay within policies need one.</Empty>
          ) : (
            <Stack>
              <Table<ApiKey>
                label="API keys"
                rows={keys}
                keyOf={({ api_key_id }) => api_key_id}
                columns={[
                  { title: 'Name', cell: ({ name }) => name },
                  { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
                  { title: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
                  {
                    title: 'Last used',
                    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
                  },
                  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    title: 'Actions',
                    cell: (key) =>
                      key.status === 'active' && (
                        <Confirm
                          action="Revoke"
                          what={key.name}
                          size="small"
                          title={`Revoke ${key.name}`}
                          typed={key.name}
                          onConfirm={() => revoke(key)}
                        >
                          <p>Whatever uses this key stops at once. This cannot be undone.</p>
                        </Confirm>
                      ),
                  },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <Dialog title="Create API key" isOpen={isCreating} onClose={() => setCreating(false)}>
        <Form fields={['name']} onSubmit={create}>
          {({ isPending }) => (
            <>
              <TextField label="Name" name="name" hint="Where it will be used" />
              <DialogEnd>
                <Button onPress={() => setCreating(false)}>Cancel</Button>
                <Button type="submit" look="main" isPending={isPending}>
                  Create API key
                </Button>
              </DialogEnd>
            </>
          )}
        </Form>
      </Dialog>
    </>
  );
}
