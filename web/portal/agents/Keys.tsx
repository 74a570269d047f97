import { useState } from 'react';
import { type Agent, type RegisteredCredential } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Muted, Notice, Section, Stack } from '../../ui/Layout.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { makeKeyHere } from './make-key.ts';
import { OwnKey } from './OwnKey.tsx';
import { RevokeKey } from './RevokeKey.tsx';

/** The agent's keys, and the two ways to give it one. */
export function Keys({ agent }: Readonly<{ agent: Agent }>) {
  const { client } = useMerchant();
  const [isOwn, setOwn] = useState(false);
  const [saved, setSaved] = useState<string>();
  const make = useAction(async () => {
    setSaved(await makeKeyHere(client, agent.agent_id));
    changed('agents');
  });
  const buttons =
    agent.status === 'revoked' ? undefined : (
      <>
        <Button look="main" isPending={make.isPending} onPress={() => make.run()}>
          Make a key here
        </Button>
        <Button onPress={() => setOwn(true)}>Use my own key</Button>
      </>
    );
  return (
    <Section title="Keys" action={buttons}>
      <Stack>
        {make.error !== undefined && <ErrorNotice error={make.error} />}
        {saved !== undefined && (
          <Notice tone="good" title="The key is active">
            It was saved as <code>{saved}</code>. The private key is in that file and nowhere else: it was made on this
            page, never sent, and is forgotten here. Move the file to where the agent runs and let only the agent read
            it.
          </Notice>
        )}
        {agent.credentials.length === 0 ? (
          <Empty title="No key yet">
            “Make a key here” makes one in this browser and saves it as a file. With “Use my own key” the private key
            never leaves the place where you made it.
          </Empty>
        ) : (
          <Table<RegisteredCredential>
            label="Keys"
            rows={agent.credentials}
            keyOf={({ credential_id }) => credential_id}
            columns={[
              { title: 'Key id', cell: ({ kid }) => <code>{kid}</code> },
              {
                title: 'Status',
                cell: ({ status }) =>
                  status === 'pending' ? <Muted>Not proven</Muted> : <StatusWord status={status} />,
              },
              { title: 'Public key', cell: ({ public_key }) => <code>{public_key}</code> },
              { title: 'Valid until', cell: ({ expires_at }) => <Time at={expires_at} /> },
              { title: 'Actions', cell: (credential) => <RevokeKey agent={agent} credential={credential} /> },
            ]}
          />
        )}
        <OwnKey agent={agent} isOpen={isOwn} onClose={() => setOwn(false)} />
      </Stack>
    </Section>
  );
}
