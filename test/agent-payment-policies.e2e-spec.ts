import { PolicyChooser } from '../src/capabilities/agent-payments/policy-chooser';
import { Reservations } from '../src/capabilities/agent-payments/reservations';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { type Answer } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const LATER = { valid_from: '2090-01-01T00:00:00Z' };
const HASH = 'ab'.repeat(32);
const AT_ONCE = 50;

/** How an agent's payment that names no policy is matched to one of several. */
describeOnEachPair('an agent payment under one of several policies', (start) => {
  let scene: AgentPaymentScene;

  const { service, dns } = useServiceWithDns({ start });
  beforeEach(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });

  const policy = (changes: object = {}): Promise<string> => createActivePolicy(service, scene, { ...changes });
  const pay = (amount: string, key?: string): Promise<Answer> =>
    createIntent(service, scene, { initiator: 'agent', amount }, key === undefined ? {} : { 'idempotency-key': key });
  const outcome = ({ status, body }: Answer): unknown[] => [status, body.data?.policy_id ?? body.error];
  const spent = (...ids: string[]): Promise<string[]> =>
    Promise.all(ids.map(async (id) => (await spentOf(service, scene, id))[0]));
  const reservationsIn = async (policyId: string): Promise<string[]> =>
    (await service.app.get<EventStore>(EVENT_STORE).readStream(`automation_policy-${policyId}`))
      .filter(({ type }) => type === 'AmountReserved')
      .map(({ data }) => (data as { payment_id: string }).payment_id);

  it('is made under the policy that permits it, whatever the others say', async () => {
    const later = await policy(LATER);
    const tight = await policy({ single_tx_limit: '0.5' });
    const now = await policy();
    expect(outcome(await pay('1'))).toEqual([201, now]);
    expect(outcome(await pay('0.5'))).toEqual([201, tight]);
    expect(await spent(later, tight, now)).toEqual(['0', '0.5', '1']);
  });

  it('uses the oldest policy until it refuses, then the next', async () => {
    const [first, second] = [await policy({ cumulative_limit: '2' }), await policy({ cumulative_limit: '1' })];
    expect(outcome(await pay('1'))).toEqual([201, first]);
    expect(outcome(await pay('1'))).toEqual([201, first]);
    expect(outcome(await pay('1'))).toEqual([201, second]);
    const refused = await pay('1');
    expect(hitl(refused)).toEqual([403, 'HC_NC_5_HITL_REQUIRED', ['cumulative_limit']]);
    expect(refused.body.error.details.policy_id).toBe(first);
    expect(await spent(first, second)).toEqual(['2', '1']);
  });

  it('is refused for the reasons of the nearest policy', async () => {
    const refusedBy = async (amount: string): Promise<unknown[]> => {
      const answer = await pay(amount);
      return [hitl(answer)[2], answer.body.error.details.policy_id];
    };
    expect(await refusedBy('1')).toEqual([['no_active_policy'], undefined]);
    const later = await policy({ ...LATER, single_tx_limit: '1000', cumulative_limit: '1000' });
    expect(await refusedBy('1')).toEqual([['validity_window'], later]);
    const small = await policy({ single_tx_limit: '1', cumulative_limit: '5' });
    expect(await refusedBy('2')).toEqual([['single_tx_limit'], small]);
    const large = await policy({ single_tx_limit: '6', cumulative_limit: '100' });
    expect(await refusedBy('7')).toEqual([['single_tx_limit'], large]);
    expect(outcome(await pay('6'))).toEqual([201, large]);
  });

  it('fits the combined limits of all policies exactly, and repeated calls get the same answer', async () => {
    const policies = [await policy({ cumulative_limit: '1.3' }), await policy({ cumulative_limit: '0.8' })];
    const all = () => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => pay('0.1', `order-${at}`)));
    const first = await all();
    const made = first.filter(({ status }) => status === 201);
    const under = (id: string | undefined) => made.filter(({ body }) => body.data.policy_id === id).length;
    expect([made.length, ...policies.map(under)]).toEqual([21, 13, 8]);
    const refused = first.filter(({ status }) => status !== 201);
    expect(refused.map(hitl)).toEqual(refused.map(() => [403, 'HC_NC_5_HITL_REQUIRED', ['cumulative_limit']]));
    expect(await spent(...policies)).toEqual(['1.3', '0.8']);

    const again = await all();
    expect(again.map(({ status }) => status)).toEqual(first.map(({ status }) => (status === 201 ? 200 : 403)));
    expect(again.map(({ body }) => body.data as unknown)).toEqual(first.map(({ body }) => body.data as unknown));
    expect(await spent(...policies)).toEqual(['1.3', '0.8']);
  });

  it('is created and reserved once, however many calls use one key at once', async () => {
    const policies = [await policy({ cumulative_limit: '2' }), await policy()];
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => pay('2', 'storm')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(AT_ONCE - 1);
    expect(new Set(answers.map(({ body }) => body.data.id as string)).size).toBe(1);
    expect(await spent(...policies)).toEqual(['2', '0']);
    expect((await Promise.all(policies.map(reservationsIn))).map(({ length }) => length)).toEqual([1, 0]);
  });

  it('stays under its policy even if an older one would permit it later', async () => {
    const [older, newer] = [await policy({ cumulative_limit: '1' }), await policy()];
    const blocking = mustBe(201, await pay('1')).body.data.id as string;
    expect(outcome(await pay('1', 'kept'))).toEqual([201, newer]);
    mustBe(200, await reportIntent(service, scene, blocking, { status: 'rejected' }));
    expect(outcome(await pay('1', 'kept'))).toEqual([200, newer]);
    expect(await spent(older, newer)).toEqual(['0', '1']);
  });

  it('is completed under the policy that reserved its amount, even if an older policy has room again by then', async () => {
    const [older, newer] = [await policy({ cumulative_limit: '1' }), await policy()];
    const blocking = mustBe(201, await pay('1')).body.data.id as string;
    const reservations = service.app.get(Reservations);
    const complete = reservations.complete.bind(reservations);
    let dead = true;
    // The call dies after the reservation; the reactor's attempts, which have a causation id, fail too.
    const dying = jest
      .spyOn(reservations, 'complete')
      .mockImplementation((created, context) =>
        dead || context.causationId !== undefined ? Promise.reject(new Error('died')) : complete(created, context),
      );
    try {
      expect((await pay('1', 'half')).status).toBe(500);
      mustBe(200, await reportIntent(service, scene, blocking, { status: 'rejected' }));
      dead = false;
      expect(outcome(await pay('1', 'half'))).toEqual([200, newer]);
    } finally {
      dying.mockRestore();
    }
    expect(await spent(older, newer)).toEqual(['0', '1']);
    expect([await reservationsIn(older), (await reservationsIn(newer)).length]).toEqual([[blocking], 1]);
  });

  it('is not reserved again if the same key was used to the end while the call was in flight', async () => {
    const policies = [await policy({ cumulative_limit: '1' }), await policy()];
    const chooser = service.app.get(PolicyChooser);
    const inForceFor = chooser.inForceFor.bind(chooser);
    jest.spyOn(chooser, 'inForceFor').mockImplementationOnce(async (draft) => {
      const { body } = mustBe(201, await pay('1', 'overtaken'));
      for (const status of ['signed', 'broadcasted', 'confirmed']) {
        const report = status === 'signed' ? { status } : { status, transaction_hash: HASH };
        mustBe(200, await reportIntent(service, scene, body.data.id as string, report));
      }
      return inForceFor(draft);
    });
    expect(outcome(await pay('1', 'overtaken'))).toEqual([200, policies[0]]);
    expect((await Promise.all(policies.map(reservationsIn))).map(({ length }) => length)).toEqual([1, 0]);
  });

  it('releases its reservation if another call with the same key completed meanwhile', async () => {
    const [older, newer] = [await policy({ cumulative_limit: '1' }), await policy()];
    const blocking = mustBe(201, await pay('1')).body.data.id as string;
    const reservations = service.app.get(Reservations);
    const place = reservations.place.bind(reservations);
    // The older policy has refused. Before the newer one decides, there is room again and another call takes it.
    const overtaken = jest.spyOn(reservations, 'place').mockImplementation(async (policyId, draft, context) => {
      if (policyId === newer) {
        overtaken.mockRestore();
        mustBe(200, await reportIntent(service, scene, blocking, { status: 'rejected' }));
        expect(outcome(await pay('1', 'twice'))).toEqual([201, older]);
      }
      return place(policyId, draft, context);
    });
    expect(outcome(await pay('1', 'twice'))).toEqual([200, older]);
    expect(await spent(older, newer)).toEqual(['1', '0']);
    expect(await reservationsIn(newer)).toHaveLength(1);
  });
});
