import { agentPayment } from '../src/capabilities/agent-payments/agent-payment';
import { automationPolicy } from '../src/capabilities/automation-policies/automation-policy';
import { paymentRequest } from '../src/capabilities/payment-requests/payment-request';
import { payableRecipient } from '../src/capabilities/payments/payable-recipient';
import { apiKeyInUse } from '../src/access/api-key-in-use';
import { pairingSessions } from '../projections/pairing-sessions.projection';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { READ_MODEL, type ReadModel } from '../src/platform/read-model/read-model.port';
import {
  type AgentPaymentScene,
  createApiKey,
  createIntent,
  proposePolicy,
  setAgentPaymentScene,
} from './support/agent-payments';
import { TESTNET_FACTS } from './support/agents';
import { bearing, mustBe, startPairing } from './support/connections';
import { gate } from './support/gate';
import { type Answer, call } from './support/http';
import { createPayment, eventsOfType, refusal } from './support/payments';
import { recipientsOf } from './support/recipients';
import { useScene } from './support/use-service';

/** Each waits between what it has looked at and what it does, and another call gets ahead of it. */
describe('calls that are overtaken by others', () => {
  const { service, scene } = useScene<AgentPaymentScene>({ set: setAgentPaymentScene });
  afterEach(() => jest.restoreAllMocks());

  const at = (path: string): string => `${service.url}/v1/${path}`;

  /** The first look at a stream of each of these kinds waits until it is released: after it has read, or before. */
  function hold({ after, before }: Readonly<{ after: unknown; before?: unknown }>) {
    const commands = service.app.get(CommandRunner);
    const fold = commands.fold.bind(commands) as (...args: unknown[]) => Promise<unknown>;
    const [looked, released] = [gate(), gate()];
    const waiting = new Set([after, before]);
    jest.spyOn(commands, 'fold').mockImplementation((async (...args: unknown[]) => {
      const [kind] = args;
      if (!waiting.delete(kind)) return fold(...args);
      const seen = kind === after ? await fold(...args) : undefined;
      if (kind === after) looked.open();
      await released.opened;
      return seen ?? fold(...args);
    }) as never);
    return { looked: looked.opened, release: released.open };
  }
  const connectionBecomes = async (status: string): Promise<Answer> =>
    mustBe(
      200,
      await call(at(`connections/${scene.connection.connectionId}`), {
        method: 'PATCH',
        headers: scene.device.headers,
        body: { status },
      }),
    );
  async function replaceAddress(): Promise<void> {
    const recipients = recipientsOf(service, scene.merchant);
    const id = scene.recipient.recipientId;
    const { version } = (await recipients.read(id)).body.recipient;
    const added = mustBe(201, await recipients.addVersion(id, { ...TESTNET_FACTS, version }));
    const versionId = added.body.recipient_version.recipient_version_id as string;
    const named = { id, versionId, version: added.body.recipient.version as number };
    const verified = mustBe(200, await recipients.verify(named));
    mustBe(200, await recipients.activate(named, recipients.evidenceIn(verified)));
  }

  it('get the agent payment that was made under their key, although it may no longer be made', async () => {
    const intent = { idempotency_key: 'overtaken', amount: '1' };
    const { looked, release } = hold({ after: agentPayment });
    const repeat = createIntent(service, scene, intent);
    await looked;
    const made = mustBe(201, await createIntent(service, scene, intent));
    await connectionBecomes('paused');
    release();
    const { status, body } = await repeat;
    await connectionBecomes('active');
    expect([status, body.data?.id]).toEqual([200, made.body.data.id]);
  });

  it('leave no amount taken if their key turns out to be another payment’s', async () => {
    const only = { if_duplicate: 'refuse' };
    const { looked, release } = hold({ after: agentPayment });
    const other = createIntent(service, scene, { idempotency_key: 'twice', amount: '2.22', ...only });
    await looked;
    mustBe(201, await createIntent(service, scene, { idempotency_key: 'twice', amount: '2.11' }));
    release();
    expect(refusal(await other)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    mustBe(201, await createIntent(service, scene, { idempotency_key: 'another', amount: '2.22', ...only }));
    const made = await eventsOfType(service, 'AgentPaymentCreated');
    expect(made.filter(({ data }) => (data as { amount: string }).amount === '2.22')).toHaveLength(1);
  });

  it('change no policy into what it was before another change', async () => {
    const terms = { single_tx_limit: '10', cumulative_limit: '100' };
    const id = mustBe(201, await proposePolicy(service, scene, terms)).body.data.id as string;
    const change = (body: object) =>
      call(at(`automation-policies/${id}`), { method: 'PATCH', headers: scene.merchant.headers, body });
    const { looked, release } = hold({ after: automationPolicy });
    const second = change({ version: 2, cumulative_limit: '90' });
    await looked;
    expect((await change({ version: 1, single_tx_limit: '1' })).body.data).toMatchObject({ version: 2 });
    release();
    expect(refusal(await second)).toEqual([409, 'version_conflict']);
    expect((await change({ version: 2, cumulative_limit: '90' })).body.data).toMatchObject({
      single_tx_limit: '1',
      cumulative_limit: '90',
    });
  });

  it('see no pairing session that has ended since', async () => {
    const { sessionId, code } = await startPairing(service, scene.agent);
    const headers = bearing(await scene.agent.token());
    const look = (typed: string, by: Record<string, string>) =>
      call(at(`pairing/sessions/${sessionId}?code=${typed}`), { headers: by });
    const model = service.app.get<ReadModel>(READ_MODEL);
    const get = model.get.bind(model) as (...args: unknown[]) => Promise<unknown>;
    const [reads, goesOn] = [gate(), gate()];
    jest.spyOn(model, 'get').mockImplementation((async (...args: unknown[]) => {
      if (args[0] !== pairingSessions) return get(...args);
      reads.open();
      await goesOn.opened;
      return get(...args);
    }) as never);
    const looking = look(code, headers);
    await reads.opened;
    for (let miss = 0; miss < 5; miss += 1) await look('AAAAAAAA', scene.device.headers);
    goesOn.open();
    expect(refusal(await looking)).toEqual([410, 'invitation_expired']);
  });

  it('are refused alike by an API key that was revoked before, or while they first used it', async () => {
    const { secret, apiKeyId } = await createApiKey(service, scene.merchant);
    const use = () => call(at('agent-payments'), { headers: { 'x-svc-api-key': secret } });
    const { looked, release } = hold({ after: apiKeyInUse });
    const first = use();
    await looked;
    mustBe(200, await call(at(`api-keys/${apiKeyId}`), { method: 'DELETE', headers: scene.merchant.headers }));
    release();
    const [while_, after] = [await first, await use()];
    for (const { status, headers } of [while_, after])
      expect([status, headers.get('www-authenticate')]).toEqual([401, after.headers.get('www-authenticate')]);
    expect(after.headers.get('www-authenticate')).toMatch(/^ApiKey /);
  });

  it('get the payment request that was made, although its recipient has changed since', async () => {
    const agent = { ...scene, headers: { authorization: `Bearer ${scene.connection.connectionToken}` } };
    const asked = { idempotency_key: 'moved', payment: { amount: '3.2' }, if_duplicate: 'refuse' };
    const { looked, release } = hold({ after: paymentRequest, before: payableRecipient });
    const repeat = createPayment(service, agent, asked);
    await looked;
    const made = mustBe(201, await createPayment(service, agent, asked)).body.payment_request;
    await replaceAddress();
    release();
    const { status, body } = await repeat;
    expect([status, body.payment_request?.request_id]).toEqual([200, made.request_id]);
  });
});
