import {
  AgentClient,
  type AgentClientOptions,
  type ClaimedInvitation,
  MerchantAccess,
  MerchantClient,
  newAgentKey,
  type RecipientWithVersion,
  SCOPES,
} from '../sdk/src/index.ts';
import { linkTokenFor } from './mailbox';
import { type VerifyingReceiver } from './webhook-receiver';
import { WalletSimulator } from './wallet-simulator';

export type Stage = Readonly<{
  url: string;
  /** The service's token endpoint, which agents' assertions must name. */
  audience: string;
  outbox: string;
  publish(name: string, value: string): void;
  receiver: VerifyingReceiver;
  /** One line per step. */
  say(step: string, text: string): void;
}>;

export type Ending = Readonly<{
  requestId: string;
  connectionToken: string;
  sessionToken: string;
  /** For what follows the story. */
  email: string;
  agent: AgentClientOptions;
  payee: Readonly<{ recipient_id: string; recipient_version_id: string }>;
}>;

const KID = 'demo-key-1';
const TIMEOUT_MS = 30_000;
const PAYEE = {
  name: 'Corner Coffee',
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
};

/** One payment from start to finish, each step taken by the party that takes it in real life. */
export async function playStory(stage: Stage): Promise<Ending> {
  const { url: baseUrl, say } = stage;
  const { merchant, sessionToken, email } = await openMerchant(stage);
  const domainId = await proveDomain(stage, merchant);
  const payee = await merchant.recipients.createActive({ ...PAYEE, domain_id: domainId });
  showRecipient(stage, payee);
  const agentOptions = await registerAgent(stage, merchant);
  const agent = new AgentClient(agentOptions);
  await listenByWebhook(stage, merchant);

  const wallet = await WalletSimulator.register(baseUrl);
  say('wallet', `${wallet.client.deviceId} is a person's phone; its keys stay there`);
  const connectionToken = await connect(stage, agent, wallet);

  const pinned = {
    recipient_id: payee.recipient.recipient_id,
    recipient_version_id: payee.recipient_version.recipient_version_id,
  };
  const { transaction_id } = await agent.describeTransaction({ title: 'Two flat whites', summary: 'Table 4' });
  const { payment_request: request, idempotency_key } = await agent.createPaymentRequest({
    ...pinned,
    payment: { amount: '12.50' },
    transaction_id,
  });
  const { request_id: requestId } = request;
  say('request', `${requestId} (key ${idempotency_key}) is ${request.status}: nothing is paid yet`);

  say('approval', `the person reads ${await wallet.review(requestId)} and says yes`);
  const hash = await wallet.approve(requestId);
  say('signed', `${requestId}, locally: the service never sees a key`);
  await wallet.broadcast(requestId, hash);
  say('broadcasted', `${requestId} as ${hash}`);
  await wallet.confirm(requestId, hash, 1017);
  const final = await agent.waitForPaymentRequest(requestId);
  if (final.status !== 'confirmed') throw new Error(`${requestId} ended ${final.status}`);
  say(final.status, `${requestId} in ledger ${final.ledger ?? 'unknown'}, version ${final.version}, final`);

  await showEvents(stage, agent);
  await showWebhooks(stage, requestId);
  return { requestId, connectionToken, sessionToken, email, agent: agentOptions, payee: pinned };
}

async function openMerchant({ url: baseUrl, outbox, say }: Stage) {
  const email = `operator-${Date.now()}@corner-coffee.example`;
  const access = new MerchantAccess({ baseUrl });
  await access.register(email);
  const { session_grant } = await access.verifyEmail(await linkTokenFor(outbox, email));
  const { next_grant } = await access.createMerchant({ grant: session_grant, name: 'Corner Coffee' });
  const opened = await MerchantClient.signIn({ baseUrl }, { grant: next_grant });
  const { merchant_id, status } = opened.merchant;
  say('merchant', `${merchant_id} opened by ${email} with the link from the mail; ${status} until a domain is proven`);
  return { merchant: opened.client, sessionToken: opened.session_token ?? '', email };
}

async function proveDomain({ publish, say }: Stage, merchant: MerchantClient): Promise<string> {
  const name = 'corner-coffee.example';
  const { domain, challenge } = await merchant.domains.create({ domain: name, method: 'dns' });
  if (challenge.type !== 'dns') throw new Error('asked for a dns challenge');
  publish(challenge.record_name, challenge.record_value);
  const proven = await merchant.domains.verify(domain.domain_id);
  say(
    'domain',
    `${domain.domain_id} ${name} proven by TXT ${challenge.record_name}; the merchant is ${proven.merchant.status}`,
  );
  return domain.domain_id;
}

function showRecipient({ say }: Stage, { recipient, recipient_version: version }: RecipientWithVersion): void {
  const { recipient_version_id, evidence, asset, network, address } = version;
  const facts = `${asset} on ${network} to ${address.slice(0, 6)}…`;
  say(
    'recipient',
    `${recipient.recipient_id} gets ${facts}: ${recipient_version_id}, active on ${evidence?.evidence_id ?? ''}`,
  );
}

async function registerAgent(
  { url: baseUrl, audience, say }: Stage,
  merchant: MerchantClient,
): Promise<AgentClientOptions> {
  const { agent_id } = await merchant.agents.create({ name: 'Barista agent', runtime: 'node', allowed_scopes: SCOPES });
  const key = newAgentKey();
  const { agent, credential } = await merchant.agents.addKey(agent_id, key, { kid: KID });
  const { status } = await merchant.agents.change(agent_id, { version: agent.version, status: 'active' });
  say('agent', `${agent_id} is ${status}; ${credential.credential_id} proven by signing its challenge`);
  const own = { kid: KID, agentId: agent_id, secretKey: key.secretKey };
  return { baseUrl, audience, credential: own };
}

async function listenByWebhook({ receiver, say }: Stage, merchant: MerchantClient): Promise<void> {
  const { webhook_endpoint, secret } = await merchant.webhooks.create({ url: receiver.url });
  receiver.useSecret(secret);
  const { webhook_endpoint_id, status } = await merchant.webhooks.verify(webhook_endpoint.webhook_endpoint_id);
  say('webhook', `${webhook_endpoint_id} is ${status}: ${receiver.url} repeated the signed challenge`);
}

async function connect({ say }: Stage, agent: AgentClient, { client: wallet }: WalletSimulator): Promise<string> {
  const { connect_key } = await wallet.createConnectKey({ label: 'For the café' });
  const claimed: ClaimedInvitation = await agent.claimConnectKey(connect_key, SCOPES);
  const {
    connect_invitation_id: id,
    merchant_name,
    merchant_domain,
  } = await wallet.readInvitation(claimed.connect_invitation.connect_invitation_id);
  await wallet.approveInvitation(id);
  const { connection, connection_token } = await agent.waitForApproval(claimed);
  const shown = `${merchant_name} (${merchant_domain})`;
  say('connect', `${id} claimed with a Connect Key, shown as ${shown}, approved: ${connection.connection_id}`);
  return connection_token;
}

async function showEvents({ say }: Stage, agent: AgentClient): Promise<void> {
  const { events } = await agent.pollEvents({ since: 0 });
  say('events', `${events.map(({ cursor, status }) => `${cursor} ${status}`).join(', ')}: what the agent polls`);
}

async function showWebhooks({ receiver, say }: Stage, requestId: string): Promise<void> {
  const about = () => receiver.received.filter(({ message }) => JSON.stringify(message.data).includes(requestId));
  const arrived = receiver.until(() => about().some(({ message }) => message.type === 'payment_request.confirmed'));
  await within(TIMEOUT_MS, arrived, 'the webhook of the confirmation');
  for (const { id, message } of about()) say('received', `${id} ${message.type}, signature verified`);
  if (receiver.refused.length > 0) throw new Error(`${receiver.refused.length} webhook messages failed verification`);
}

async function within(milliseconds: number, promise: Promise<void>, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${milliseconds / 1000} s`)), milliseconds);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
