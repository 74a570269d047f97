import { EVENT_STORE, type EventStore, StoreUnavailable } from '../src/platform/event-store/event-store.port';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  setAgentPaymentScene,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { describeOnEachPair } from './support/pairs';
import { TESTNET_FACTS } from './support/agents';
import { eventsOfType } from './support/payments';
import { recipientsOf } from './support/recipients';
import { useServiceWithDns } from './support/use-service';

const OTHER_ADDRESS = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';

/**
 * The process dies, or its store does, between the reservation and the payment. The caller repeats its call before the
 * background work has completed what was reserved, and meanwhile the merchant has activated another address.
 */
describeOnEachPair('a repeated call that completes another call’s reservation', (start) => {
  const { service, dns } = useServiceWithDns({ start });
  let scene: AgentPaymentScene;
  beforeAll(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });

  async function moveTheRecipient(): Promise<string> {
    const recipients = recipientsOf(service, scene.merchant);
    const id = scene.recipient.recipientId;
    const { version } = (await recipients.read(id)).body.recipient;
    const { address: _old, ...facts } = TESTNET_FACTS as Record<string, string>;
    const added = mustBe(201, await recipients.addVersion(id, { ...facts, address: OTHER_ADDRESS, version }));
    const versionId = added.body.recipient_version.recipient_version_id as string;
    const named = { id, versionId, version: added.body.recipient.version as number };
    const verified = mustBe(200, await recipients.verify(named));
    mustBe(200, await recipients.activate(named, recipients.evidenceIn(verified)));
    return versionId;
  }

  it('pays only the recipient version that the person agreed to', async () => {
    await createActivePolicy(service, scene);
    const intent = { initiator: 'agent', amount: '1', idempotency_key: 'order-1' };

    const store = service.app.get<EventStore>(EVENT_STORE);
    const really = store.append.bind(store);
    // Whatever the first call and the background work do about the reservation fails.
    const spy = jest
      .spyOn(store, 'append')
      .mockImplementation((stream, expected, events) =>
        stream.startsWith('agent_payment-') && events.some(({ metadata }) => metadata.causation_id !== undefined)
          ? Promise.reject(new StoreUnavailable('hanging'))
          : really(stream, expected, events),
      );
    expect((await createIntent(service, scene, intent)).status).toBe(503);
    const [reserved] = await eventsOfType(service, 'AmountReserved');
    expect((reserved?.data as any).payment.recipient_version_id).toBe(scene.recipient.recipientVersionId);

    const other = await moveTheRecipient();
    // Any other key is refused now: the person agreed to the previous version.
    expect(hitl(await createIntent(service, scene, { ...intent, idempotency_key: 'order-2' }))).toEqual([
      403,
      'HC_NC_5_HITL_REQUIRED',
      ['allowlist'],
    ]);

    const again = await createIntent(service, scene, intent);
    spy.mockRestore();
    // The reservation, as the policy permitted it.
    expect([again.status, again.body.data?.recipient_version_id]).toEqual([200, scene.recipient.recipientVersionId]);
    expect(again.body.data?.recipient_version_id).not.toBe(other);
    expect(JSON.stringify(again.body)).not.toContain(OTHER_ADDRESS);
  });
});
