import {
  AgentClient,
  MerchantClient,
  newAgentKey,
  type NewPaymentRequest,
  SCOPES,
  WalletClient,
} from '../../../sdk/src/index.ts';
import { grantFor, type SignedUpMerchant } from '../../support/merchant';
import { type PortalScene } from './portal';

const PAYEE = {
  name: 'Till',
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
};

/** A payee, and an agent connected to a person's wallet, created with the client library. */
export async function connectedPayee({ service }: PortalScene, { email, domainId }: SignedUpMerchant) {
  const baseUrl = service.url;
  const { grant, merchants } = await grantFor(service, email);
  const choice = merchants[0]?.choice ?? '';
  const { client: merchant } = await MerchantClient.signIn({ baseUrl }, { grant, choice });
  const { recipient } = await merchant.recipients.createActive({ ...PAYEE, domain_id: domainId });
  const key = newAgentKey();
  const { agent_id } = await merchant.agents.create({ name: 'Barista', runtime: 'node', allowed_scopes: SCOPES });
  const { agent: known } = await merchant.agents.addKey(agent_id, key, { kid: 'k1' });
  await merchant.agents.change(agent_id, { version: known.version, status: 'active' });
  const agent = new AgentClient({ baseUrl, credential: { kid: 'k1', agentId: agent_id, secretKey: key.secretKey } });
  const { wallet } = await WalletClient.register({ baseUrl }, { name: 'Phone' });
  const { connect_key } = await wallet.createConnectKey();
  const claimed = await agent.claimConnectKey(connect_key, SCOPES);
  await wallet.approveInvitation(claimed.connect_invitation.connect_invitation_id);
  await agent.waitForApproval(claimed);
  const ask = async (amount: string, more: Partial<NewPaymentRequest> = {}): Promise<string> => {
    const input = { recipient_id: recipient.recipient_id, recipient_version_id: recipient.active_version_id ?? '' };
    return (await agent.createPaymentRequest({ ...input, payment: { amount }, ...more })).payment_request.request_id;
  };
  return { wallet, ask, merchant, recipient };
}
