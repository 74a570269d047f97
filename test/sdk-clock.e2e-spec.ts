import { AgentClient, MerchantClient, newAgentKey, SCOPES, WalletClient } from '../sdk/src/index.ts';
import { BASE_URL } from './support/agents';
import { grantFor, signUpMerchant } from './support/merchant';
import { useServiceWithDns } from './support/use-service';

const AHEAD_MS = 59_000;

describe('the client library, on a machine whose clock is ahead by less than the allowed minute', () => {
  const { service, dns } = useServiceWithDns({ clock: { now: () => new Date(Date.now() - AHEAD_MS) } });

  it('adds a key that the agent can use at once', async () => {
    const { email } = await signUpMerchant(service, { dns });
    const baseUrl = service.url;
    const { grant } = await grantFor(service, email);
    const { client: merchant } = await MerchantClient.signIn({ baseUrl }, { grant });
    const key = newAgentKey();
    const { agent_id: agentId } = await merchant.agents.create({ name: 'A', runtime: 'node', allowed_scopes: SCOPES });
    const { agent: known } = await merchant.agents.addKey(agentId, key, { kid: 'k1' });
    await merchant.agents.change(agentId, { version: known.version, status: 'active' });
    const credential = { kid: 'k1', agentId, secretKey: key.secretKey };
    const agent = new AgentClient({ baseUrl, credential, audience: `${BASE_URL}/v1/agent-auth/token` });
    const { wallet } = await WalletClient.register({ baseUrl }, { name: 'Phone' });
    const claimed = await agent.claimConnectKey((await wallet.createConnectKey()).connect_key, SCOPES);
    expect(claimed.connect_invitation.status).toBe('claimed');
  });
});
