import { EVENT_STORE, type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import {
  createActivePolicy,
  createIntent,
  hitl,
  optIn,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { auditHere } from './support/audit-command';
import { mustBe } from './support/connections';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { connectAnotherWallet, eventsOfType } from './support/payments';
import { recipientsOf } from './support/recipients';
import { useScene } from './support/use-service';

describeOnEachPair('the audit trail of agent payments', (start) => {
  const { service, scene } = useScene({ start, set: setAgentPaymentScene });

  const trailOf = (stream: string): Promise<readonly RecordedEvent[]> =>
    service.app.get<EventStore>(EVENT_STORE).readStream(stream);
  const actsIn = (events: readonly RecordedEvent[]): [string, string, string][] =>
    events.map(({ type, metadata }) => [type, metadata.actor.kind, metadata.actor.id]);

  /** Another active recipient of the same merchant. */
  async function anotherRecipient(): Promise<string> {
    const recipients = recipientsOf(service, scene.merchant);
    const created = await recipients.created({ name: 'Another Shop' });
    const verified = mustBe(200, await recipients.verify(created));
    mustBe(200, await recipients.activate(created, recipients.evidenceIn(verified)));
    return created.id;
  }

  it('names who proposed, agreed, spent, released and ended, and in which call', async () => {
    const policyId = await createActivePolicy(service, scene);
    const headers = { 'x-request-id': 'spends-it' };
    const asked = { initiator: 'agent', amount: '3', policy_id: policyId };
    const { id } = mustBe(201, await createIntent(service, scene, asked, headers)).body.data as { id: string };
    mustBe(200, await reportIntent(service, scene, id, { status: 'rejected', reason: 'not now' }));
    await optIn(service, scene, policyId, 'opt-out');
    const url = `${service.url}/v1/automation-policies/${policyId}`;
    mustBe(200, await call(url, { method: 'DELETE', headers: scene.merchant.headers }));

    const policy = await trailOf(`automation_policy-${policyId}`);
    const [wallet, key] = [scene.device.deviceId, scene.apiKeyId];
    const operator = policy[0]?.metadata.actor.id ?? '';
    expect(actsIn(policy)).toEqual([
      ['AutomationPolicyCreated', 'merchant_account', operator],
      ['AutomationPolicyOptedIn', 'wallet_device', wallet],
      ['AmountReserved', 'api_key', key],
      ['AmountReleased', 'wallet_device', wallet],
      ['AutomationPolicyOptedOut', 'wallet_device', wallet],
      ['AutomationPolicyRevoked', 'merchant_account', operator],
    ]);
    const payment = await trailOf(`agent_payment-${id}`);
    expect(actsIn(payment)).toEqual([
      ['AgentPaymentCreated', 'api_key', key],
      ['AgentPaymentRejected', 'wallet_device', wallet],
    ]);
    expect([policy[2], payment[0]].map((event) => event?.metadata.request_id)).toEqual(['spends-it', 'spends-it']);
    expect(payment[1]?.data).toMatchObject({ previous_status: 'intent_created', reason: 'not now' });
    for (const { data } of [...policy, ...payment]) expect(JSON.stringify(data)).not.toContain(scene.secret);
  });

  it('records every refusal with all its reasons, and what the agent did instead', async () => {
    const recipient_id = await anotherRecipient();
    const policyId = await createActivePolicy(service, scene, {
      single_tx_limit: '1',
      cumulative_limit: '5',
      valid_from: '2090-01-01T00:00:00Z',
    });
    await optIn(service, scene, policyId, 'opt-out');
    const asked = { initiator: 'agent', amount: '5.0000001', recipient_id, policy_id: policyId };
    const key = { 'idempotency-key': 'refused-first', 'x-request-id': 'is-refused' };
    const refused = await createIntent(service, scene, asked, key);
    const all = ['single_tx_limit', 'cumulative_limit', 'validity_window', 'allowlist', 'no_active_policy'];
    expect(hitl(refused)).toEqual([403, 'HC_NC_5_HITL_REQUIRED', all]);
    expect(await spentOf(service, scene, policyId)).toEqual(['0', '5']);

    const human = mustBe(201, await createIntent(service, scene, { ...asked, initiator: 'human' }, key)).body.data;
    expect(human).toMatchObject({ status: 'intent_created', initiator: 'human', amount: '5.0000001' });
    const trail = await trailOf(`agent_payment-${human.id as string}`);
    expect(actsIn(trail)).toEqual([
      ['AgentPaymentRefused', 'api_key', scene.apiKeyId],
      ['AgentPaymentCreated', 'api_key', scene.apiKeyId],
    ]);
    expect(trail[0]).toMatchObject({
      data: { policy_id: policyId, recipient_id, amount: '5.0000001', triggered_thresholds: all },
      metadata: { request_id: 'is-refused' },
    });
    const refusals = await eventsOfType(service, 'AgentPaymentRefused');
    expect(refusals.filter(({ stream }) => stream === trail[0]?.stream)).toHaveLength(1);
  });

  it('is sound where a key that was refused over one connection pays over another', async () => {
    const other = { ...scene, ...(await connectAnotherWallet(service, scene)), headers: scene.headers };
    const key = { 'idempotency-key': 'tried-over-two-connections' };
    expect(hitl(await createIntent(service, scene, { initiator: 'agent', amount: '1000' }, key))[0]).toBe(403);
    mustBe(201, await createIntent(service, other, { amount: '1000' }, key));
    const { code, lines } = await auditHere(service.settings, ['verify', '--json']);
    expect([code, lines.slice(0, -1)]).toEqual([0, []]);
  });
});
