import { type Agent } from '../../../sdk/src/types/merchant.ts';
import { CopyBlock } from '../../ui/Copy.tsx';
import { Stack } from '../../ui/Layout.tsx';

/** Ready to paste where the agent runs, together with the file that “Make a key here” saves. */
export function Snippets({ agent }: Readonly<{ agent: Agent }>) {
  const file = `${agent.agent_id}.json`;
  return (
    <Stack>
      <CopyBlock label="Client library" text={library(file)} />
      <CopyBlock label="MCP configuration" text={mcp(file)} />
    </Stack>
  );
}

const library = (file: string): string => `import { readFile } from 'node:fs/promises';
import { AgentClient, agentKeyFromSeed } from '@svc/client';

const file = JSON.parse(await readFile('${file}', 'utf8'));
const { secretKey } = agentKeyFromSeed(Buffer.from(file.private_key, 'base64url'));
const agent = new AgentClient({
  baseUrl: file.url,
  credential: { kid: file.key_id, agentId: file.agent_id, secretKey },
});`;

const mcp = (file: string): string =>
  JSON.stringify(
    { mcpServers: { payments: { command: 'svc-mcp', env: { SVC_CREDENTIALS: `/path/to/${file}` } } } },
    undefined,
    2,
  );
