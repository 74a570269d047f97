import { useQuery } from '@tanstack/react-query';
import { type Agent as AgentView } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts, Notice, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAction } from '../shell/use-action.ts';
import { scopesInWords } from '../shell/status-labels.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { Keys } from './Keys.tsx';
import { Snippets } from './Snippets.tsx';

export default function Agent({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({ queryKey: ['agents', id], queryFn: ({ signal }) => client.agents.read(id, { signal }) });
  if (isNotFound(query.error)) return <NotFound back="/agents" name="Agents" />;
  return <Loaded query={query}>{(agent) => <Detail agent={agent} />}</Loaded>;
}

function Detail({ agent }: Readonly<{ agent: AgentView }>) {
  const { agent_id, name, runtime, status, allowed_scopes, created_at } = agent;
  return (
    <>
      <PageHead title={name} action={<StatusWord status={status} />} />
      <Card>
        <Facts
          facts={[
            ['Agent id', <code key="id">{agent_id}</code>],
            ['Runtime', runtime],
            ['May', scopesInWords(allowed_scopes)],
            ['Created', <Time key="at" at={created_at} />],
          ]}
        />
        <Standing agent={agent} />
      </Card>
      <Keys agent={agent} />
      {status !== 'revoked' && (
        <Section title="Use it">
          <Snippets agent={agent} />
        </Section>
      )}
    </>
  );
}

/** Activate, suspend, revoke. */
function Standing({ agent }: Readonly<{ agent: AgentView }>) {
  const { client } = useMerchant();
  const { agent_id: id, status, version, credentials, name } = agent;
  const become = async (next: 'active' | 'suspended' | 'revoked'): Promise<void> => {
    await client.agents.change(id, { version, status: next });
    changed('agents', 'connections');
    toast(`${name} is ${next}.`);
  };
  const activate = useAction(() => become('active'));
  if (status === 'revoked') return <Notice tone="bad">Revoked for good. Create another agent to continue.</Notice>;
  const hasKey = credentials.some((credential) => credential.status === 'active');
  return (
    <>
      {!hasKey && <Notice>It needs a key before it can be activated. Make one below.</Notice>}
      <Row>
        {status !== 'active' && (
          <Button look="main" isDisabled={!hasKey} isPending={activate.isPending} onPress={() => activate.run()}>
            Activate agent
          </Button>
        )}
        {status === 'active' && (
          <Confirm action="Suspend" title={`Suspend ${name}`} onConfirm={() => become('suspended')}>
            <p>Its tokens and connections stop at once and work again when you activate it.</p>
          </Confirm>
        )}
        <Confirm action="Revoke" title={`Revoke ${name}`} typed={name} onConfirm={() => become('revoked')}>
          <p>Its keys, tokens and connections end at once and for good. People must then connect another agent.</p>
        </Confirm>
      </Row>
      {activate.error !== undefined && <ErrorNotice error={activate.error} />}
    </>
  );
}
