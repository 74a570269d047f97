import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  intentInput,
  issuesOf,
  optIn,
  policyInput,
  proposePolicy,
  readPolicy,
  setAgentPaymentScene,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { connectAnotherWallet, refusal } from './support/payments';
import { recipientsOf } from './support/recipients';
import { TESTNET_FACTS } from './support/agents';
import { useServiceWithDns } from './support/use-service';

const OTHER_ADDRESS = 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H';
const MAIN = { network: 'stellar_public' };

/** The user sets the thresholds, in their own policies and in proposed ones. */
describeOnEachPair('a wallet’s automation policies', (start) => {
  let scene: AgentPaymentScene;

  const { service, dns } = useServiceWithDns({ start });
  beforeEach(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });

  const policies = (): string => `${service.url}/v1/automation-policies`;
  const fieldsOf = ({ device } = scene) => ({ device_id: device.deviceId, token: device.token });
  const make = (changes: object = {}, by: object = fieldsOf()): Promise<Answer> =>
    call(policies(), { body: { ...policyInput(scene, { ...changes }), ...by } });
  const pay = (changes: object = {}): Promise<Answer> =>
    createIntent(service, scene, { initiator: 'agent', amount: '1', ...changes });
  const moveRecipient = async (address = OTHER_ADDRESS, token: object = {}): Promise<void> => {
    const payee = recipientsOf(service, scene.merchant);
    const { recipientId: id } = scene.recipient;
    const { version } = (await payee.read(id)).body.recipient;
    const added = mustBe(201, await payee.addVersion(id, { ...TESTNET_FACTS, address, version, ...token })).body;
    const made = {
      id,
      versionId: added.recipient_version.recipient_version_id as string,
      version: added.recipient.version as number,
    };
    mustBe(200, await payee.activate(made, payee.evidenceIn(mustBe(200, await payee.verify(made)))));
  };

  it('are not agreed to for a payee that changed after the person was shown it', async () => {
    const { id } = mustBe(201, await proposePolicy(service, scene)).body.data as { id: string };
    const shownNow = async () => {
      const { version, payees } = mustBe(200, await readPolicy(service, scene.device, id)).body.data;
      return { version, recipient_version_ids: payees.map((one: any) => one.recipient_version_id as string) };
    };
    const shown = await shownNow();
    await moveRecipient();
    const refused = await optIn(service, scene, id, 'opt-in', shown);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'version_conflict']);
    expect(hitl(await pay())[2]).toEqual(['no_active_policy']);
    const nothing = await optIn(service, scene, id, 'opt-in', { ...shown, recipient_version_ids: [] });
    expect(nothing.status).toBe(409);
    const now = await shownNow();
    const agreed = mustBe(200, await optIn(service, scene, id, 'opt-in', now));
    expect(agreed.body.data.payees).toMatchObject([
      { recipient_version_id: now.recipient_version_ids[0], opted_in: true },
    ]);
    // What is agreed to already stays so, whatever was shown.
    expect((await optIn(service, scene, id, 'opt-in', shown)).status).toBe(200);
  });

  it('show the issuer of a payee’s token, because its code alone does not identify it', async () => {
    const usdc = { asset: 'USDC', issuer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5' };
    expect((await make()).body.data.payees).toMatchObject([{ asset: 'XLM', issuer: null, contract: null }]);
    await moveRecipient(TESTNET_FACTS.address, usdc);
    expect((await make({ asset: 'USDC' })).body.data.payees).toMatchObject([{ ...usdc, contract: null }]);
  });

  it('are created by the owner of the connection, and apply at once', async () => {
    const { status, body } = await make({ single_tx_limit: '2' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      status: 'active',
      connection_id: scene.connection.connectionId,
      single_tx_limit: '2',
      proposed: { single_tx_limit: '2', cumulative_limit: '100', allowlist: [scene.recipient.recipientId] },
      payees: [
        {
          recipient_id: scene.recipient.recipientId,
          recipient_version_id: scene.recipient.recipientVersionId,
          address: TESTNET_FACTS.address,
          domain: scene.merchant.domain,
          opted_in: true,
        },
      ],
    });
    expect(body.data.opted_in_at).toBe(body.data.created_at);
    expect((await pay({ amount: '2' })).body.data.policy_id).toBe(body.data.id);
    expect(hitl(await pay({ amount: '2.1' }))).toEqual([403, 'HC_NC_5_HITL_REQUIRED', ['single_tx_limit']]);

    // Readable by the wallet with header or query, by the merchant's program, and by nobody else.
    const query = new URLSearchParams(fieldsOf()).toString();
    for (const path of [`/${body.data.id}`, '']) {
      const [byQuery, byHeader, byKey] = await Promise.all([
        call(`${policies()}${path}?${query}`),
        call(`${policies()}${path}`, { headers: scene.device.headers }),
        call(`${policies()}${path}`, { headers: scene.headers }),
      ]);
      expect(byQuery.status).toBe(200);
      expect(byHeader.body.data).toEqual(byQuery.body.data);
      expect(byKey.body.data).toEqual(byQuery.body.data);
    }
    const stranger = await registerDevice(service);
    const asked = await call(`${policies()}/${body.data.id}`, { headers: stranger.headers });
    expect(refusal(asked)).toEqual([404, 'resource_not_found']);
  });

  it('are created with all four thresholds, for the wallet’s own connection and its merchant’s recipients', async () => {
    expect(issuesOf(await call(policies(), { body: fieldsOf() })).map(([, field]) => field)).toEqual(
      Object.keys(policyInput(scene)),
    );
    const other = await setAgentPaymentScene(service, dns);
    const theirs = { connection_id: other.connection.connectionId };
    expect(refusal(await make(theirs))).toEqual([404, 'resource_not_found']);
    expect(refusal(await make({}, fieldsOf(other)))).toEqual([404, 'resource_not_found']);
    const foreign = await make({ allowlist: [other.recipient.recipientId, 7], single_tx_limit: '-1' });
    expect(issuesOf(foreign)).toEqual([
      ['invalid_amount', 'single_tx_limit'],
      ['wrong_type', 'allowlist.1'],
      ['resource_not_found', 'allowlist.0'],
    ]);
    expect(refusal(await make({}, { ...fieldsOf(), token: 'svc_dt_wrong' }))).toEqual([401, 'invalid_token']);
    // A browser sends the cookie automatically, so device fields take precedence.
    const { cookie } = scene.merchant;
    const beside = await call(policies(), { headers: { cookie }, body: { ...policyInput(scene), ...fieldsOf() } });
    expect([beside.status, beside.body.data?.status]).toEqual([201, 'active']);
  });

  it('are tightened when the user agrees, and the user’s choice applies', async () => {
    const { id } = mustBe(201, await proposePolicy(service, scene)).body.data;
    const chosen = { single_tx_limit: '3', cumulative_limit: '4.5', valid_until: '2099-06-01T00:00:00.000Z' };
    const agreed = await optIn(service, scene, id as string, 'opt-in', chosen);
    expect([agreed.status, agreed.body.data.status]).toEqual([200, 'active']);
    expect(agreed.body.data).toMatchObject({ ...chosen, remaining: '4.5', proposed: { single_tx_limit: '10' } });
    expect(hitl(await pay({ amount: '3.5' }))[2]).toEqual(['single_tx_limit']);
    expect((await pay({ amount: '3' })).status).toBe(201);
    expect(hitl(await pay({ amount: '2' }))[2]).toEqual(['cumulative_limit']);

    // Opting in again without thresholds keeps them; the proposal is their upper bound.
    const again = await optIn(service, scene, id as string);
    expect(again.body.data).toMatchObject({ ...chosen, version: agreed.body.data.version });
    const wider = await optIn(service, scene, id as string, 'opt-in', { single_tx_limit: '10' });
    expect(wider.body.data).toMatchObject({ single_tx_limit: '10', cumulative_limit: '4.5' });
  });

  it('are never loosened, and every attempt to loosen one is reported next to malformed fields', async () => {
    const { id } = mustBe(201, await proposePolicy(service, scene)).body.data;
    const other = await recipientsOf(service, scene.merchant).created();
    const looser = {
      single_tx_limit: '10.1',
      cumulative_limit: '101',
      valid_from: '2019-12-31T23:59:59Z',
      valid_until: '2100-01-01T00:00:01Z',
      allowlist: [scene.recipient.recipientId, other.id],
    };
    const refused = await optIn(service, scene, id as string, 'opt-in', looser);
    expect(issuesOf(refused)).toEqual(
      ['single_tx_limit', 'cumulative_limit', 'valid_from', 'valid_until', 'allowlist.1'].map((field) => [
        'looser_than_proposed',
        field,
      ]),
    );
    const both = await optIn(service, scene, id as string, 'opt-in', { ...looser, valid_from: 'soon', version: 0 });
    expect(
      issuesOf(both)
        .map(([code]) => code)
        .sort(),
    ).toEqual([...Array<string>(4).fill('looser_than_proposed'), 'malformed', 'out_of_range']);
    const { status } = (await call(`${policies()}/${id}`, { headers: scene.headers })).body.data;
    expect(status).toBe('awaiting_opt_in');
  });

  it('pay a recipient whose address changed only after the user agreed again', async () => {
    const policyId = await createActivePolicy(service, scene);
    expect((await pay()).status).toBe(201);
    await moveRecipient();
    expect(hitl(await pay())).toEqual([403, 'HC_NC_5_HITL_REQUIRED', ['allowlist']]);
    const read = await call(`${policies()}/${policyId}`, { headers: scene.device.headers });
    expect(read.body.data).toMatchObject({ status: 'active', payees: [{ address: OTHER_ADDRESS, opted_in: false }] });
    expect((await pay({ initiator: 'human' })).status).toBe(201);

    const again = await optIn(service, scene, policyId, 'opt-in', { version: read.body.data.version });
    expect(again.body.data.payees).toMatchObject([{ address: OTHER_ADDRESS, opted_in: true }]);
    expect((await pay()).status).toBe(201);
  });

  it('show a payee as agreed to only while they are in force', async () => {
    const proposed = mustBe(201, await proposePolicy(service, scene)).body.data;
    const move = (way: 'opt-in' | 'opt-out') => optIn(service, scene, proposed.id as string, way);
    expect(proposed.payees).toMatchObject([{ opted_in: false }]);
    expect((await move('opt-in')).body.data.payees).toMatchObject([{ opted_in: true }]);
    expect((await move('opt-out')).body.data.payees).toMatchObject([{ opted_in: false }]);
  });

  it('pay a recipient whose address changed back only after the user agreed again', async () => {
    const policyId = await createActivePolicy(service, scene);
    const { recipientId: id } = scene.recipient;
    const payee = recipientsOf(service, scene.merchant);
    const [before] = (await payee.read(id)).body.recipient.versions.slice(-1);
    await moveRecipient();
    const { version } = (await payee.read(id)).body.recipient;
    const { evidence_id, evidence_digest } = before.evidence;
    const back = { id, versionId: before.recipient_version_id as string, version: version as number };
    mustBe(200, await payee.activate(back, { evidence_id, evidence_digest, version }));
    expect(hitl(await pay())).toEqual([403, 'HC_NC_5_HITL_REQUIRED', ['allowlist']]);
    const read = () => call(`${policies()}/${policyId}`, { headers: scene.device.headers });
    expect((await read()).body.data.payees).toMatchObject([{ address: before.address, opted_in: false }]);

    await optIn(service, scene, policyId, 'opt-in');
    expect((await read()).body.data.payees).toMatchObject([{ address: before.address, opted_in: true }]);
    expect((await pay()).status).toBe(201);
  });

  it('do not extend a connection that was granted fewer scopes', async () => {
    const { device, connection } = await connectAnotherWallet(service, scene, ['payment.requests.read']);
    const narrow = { ...scene, device, connection };
    for (const initiator of ['human', 'agent']) {
      const answer = await createIntent(service, narrow, { initiator });
      expect(refusal(answer)).toEqual([403, 'insufficient_scope']);
      expect(answer.body.error.details).toEqual({ required_scope: 'payment.requests.create' });
    }
  });

  it('refuse recipients on a main network before any other problem', async () => {
    const payee = recipientsOf(service, scene.merchant);
    const { id } = await payee.created(MAIN);
    const allowlist = [scene.recipient.recipientId, id];
    const asked = [
      make({ allowlist, single_tx_limit: 'x' }),
      make({ allowlist, connection_id: undefined }),
      make({ allowlist, connection_id: 'con_unknown' }),
      proposePolicy(service, scene, { allowlist, valid_until: 'x' }),
      pay({ recipient_id: id, amount: 'x' }),
      createIntent(service, scene, { recipient_id: id }),
    ];
    for (const answer of await Promise.all(asked)) expect(refusal(answer)).toEqual([409, 'phase_0_mainnet_disabled']);
    const policyId = await createActivePolicy(service, scene);
    const of = `${policies()}/${policyId}`;
    const [{ headers }, wrong] = [scene.merchant, { allowlist, single_tx_limit: 'x' }];
    const more = [
      call(of, { method: 'PATCH', headers, body: wrong }),
      call(`${of}/opt-in`, { body: { ...wrong, ...fieldsOf() } }),
      call(`${of}/simulate`, { headers, body: wrong }),
      call(`${of}/simulate`, { headers, body: { allowlist } }),
      call(`${of}/simulate`, { body: { ...wrong, ...fieldsOf() } }),
      call(`${policies()}/evaluate`, { headers: scene.headers, body: { ...intentInput(scene), recipient_id: id } }),
    ];
    for (const answer of await Promise.all(more)) expect(refusal(answer)).toEqual([409, 'phase_0_mainnet_disabled']);
    const moved = await payee.created();
    const proposed = mustBe(201, await proposePolicy(service, scene, { allowlist: [moved.id] })).body.data;
    mustBe(201, await payee.addVersion(moved.id, { ...TESTNET_FACTS, ...MAIN, version: moved.version }));
    expect(refusal(await optIn(service, scene, proposed.id as string))).toEqual([409, 'phase_0_mainnet_disabled']);
    // Another merchant's recipient is still reported as unknown.
    const other = await setAgentPaymentScene(service, dns);
    const unknown = await createIntent(service, other, { recipient_id: id });
    expect(refusal(unknown)).toEqual([404, 'resource_not_found']);
    expect(issuesOf(await make({ allowlist, connection_id: undefined }, fieldsOf(other)))).toEqual([
      ['required', 'connection_id'],
    ]);
  });
});
