import { Keypair } from '@stellar/stellar-base';
import {
  AgentClient,
  MerchantAccess,
  MerchantClient,
  newAgentKey,
  type NewPaymentRequest,
  type PaymentRequest,
  SCOPES,
} from '../../../sdk/src/index.ts';
import { BASE_URL } from '../../support/agents';
import { startDnsResponder } from '../../support/dns-responder';
import { mailNumber, tokenIn } from '../../support/outbox';
import { startTestService, type TestService } from '../../support/service';
import { type Horizon, startHorizon } from './horizon';

export type ShopPayee = Readonly<{ recipient_id: string; recipient_version_id: string; address: string }>;

export type WalletScene = Readonly<{
  service: TestService;
  url: string;
  horizon: Horizon;
  merchant: MerchantClient;
  /** The operator's cookie, for a browser. */
  cookie: string;
  /** An agent that is not connected yet. */
  newAgent(name?: string): Promise<AgentClient>;
  payee: ShopPayee;
  /** Gives the payee another address, verified and active. */
  movePayee(): Promise<ShopPayee>;
  stop(): Promise<void>;
}>;

export type SceneOptions = Readonly<{ withNetwork?: boolean; env?: Readonly<Record<string, string>> }>;

const EMAIL = 'owner@corner-coffee.example';

/** A service with its pages, a merchant with a verified payee, and a fake network server. */
export async function startWalletScene({ withNetwork = true, env = {} }: SceneOptions = {}): Promise<WalletScene> {
  const dns = await startDnsResponder();
  const horizon = await startHorizon();
  const network = withNetwork ? { WALLET_HORIZON: horizon.url } : {};
  const service = await startTestService({ env: { DNS_SERVERS: dns.server, ...network, ...env } });
  const options = { baseUrl: service.url };
  const access = new MerchantAccess(options);
  await access.register(EMAIL);
  const { session_grant } = await access.verifyEmail(tokenIn(await mailNumber(service, EMAIL, 1)));
  const { next_grant } = await access.createMerchant({ grant: session_grant, name: 'Corner Coffee' });
  const { client: merchant, session_token = '' } = await MerchantClient.signIn(options, { grant: next_grant });
  const { domain, challenge } = await merchant.domains.create({ domain: 'corner-coffee.example', method: 'dns' });
  if (challenge.type !== 'dns') throw new Error('asked for dns');
  dns.set(challenge.record_name, { TXT: [challenge.record_value] });
  await merchant.domains.verify(domain.domain_id);

  const facts = () => ({
    network: 'stellar_testnet',
    asset: 'XLM',
    address: Keypair.random().publicKey(),
    memo: 'Order 17',
  });
  const first = facts();
  const active = await merchant.recipients.createActive({
    name: 'Corner Coffee',
    ...first,
    domain_id: domain.domain_id,
  });
  const { recipient_id } = active.recipient;

  return {
    service,
    url: service.url,
    horizon,
    merchant,
    cookie: `svc_session=${session_token}`,
    payee: {
      recipient_id,
      recipient_version_id: active.recipient_version.recipient_version_id,
      address: first.address,
    },
    newAgent: async (name = 'Barista agent') => {
      const { agent_id } = await merchant.agents.create({ name, runtime: 'node', allowed_scopes: SCOPES });
      const key = newAgentKey();
      const { agent } = await merchant.agents.addKey(agent_id, key, { kid: 'key-1' });
      await merchant.agents.change(agent_id, { version: agent.version, status: 'active' });
      const credential = { kid: 'key-1', agentId: agent_id, secretKey: key.secretKey };
      return new AgentClient({ ...options, audience: `${BASE_URL}/v1/agent-auth/token`, credential });
    },
    movePayee: async () => {
      const next = facts();
      const { version } = await merchant.recipients.read(recipient_id);
      const added = await merchant.recipients.addVersion(recipient_id, { ...next, version });
      const { recipient_version_id } = added.recipient_version;
      const proven = await merchant.recipients.verify(recipient_id, {
        recipient_version_id,
        source_id: domain.domain_id,
        version: added.recipient.version,
      });
      const { evidence_id, evidence_digest } = proven.evidence;
      await merchant.recipients.activate(recipient_id, recipient_version_id, {
        evidence_id,
        evidence_digest,
        version: proven.recipient.version,
      });
      return { recipient_id, recipient_version_id, address: next.address };
    },
    stop: async () => {
      await service.stopAndForget();
      await dns.close();
      await horizon.close();
    },
  };
}

/** An agent asks for a payment. */
export async function ask(
  agent: AgentClient,
  { recipient_id, recipient_version_id }: ShopPayee,
  amount: string,
  more: Partial<NewPaymentRequest> = {},
): Promise<PaymentRequest> {
  const input = { recipient_id, recipient_version_id, payment: { amount }, ...more };
  return (await agent.createPaymentRequest(input)).payment_request;
}
