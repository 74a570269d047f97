import { newTokenFor } from '../src/secrets/bound-tokens';
import { newId } from '../src/kernel/ids';
import { SCOPES } from './support/agents';
import { bearing, claimInvitation, claimKey, decide, exchange, issueConnectKey, mustBe } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useConnection } from './support/use-connection';
import { type ConnectScene, startConnectScene } from './support/connect-scene';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('connecting by a Connect Key', (start) => {
  let scene: ConnectScene;
  let device: Device;
  let now = Date.now();

  beforeAll(async () => {
    scene = await startConnectScene(start, { clock: { now: () => new Date(now) } });
  });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });
  afterAll(() => scene.stop());

  const at = (path: string): string => `${scene.service.url}/v1/${path}`;
  const invitation = (id: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    call(at(`connect-invitations/${id}`), { headers });
  const claim = (scopes?: readonly string[]) => claimInvitation(scene.service, scene.agent, device, scopes);
  const later = (minutes: number): void => void (now += minutes * 60_000);

  it('leads from a key over claim and approval to a connection token', async () => {
    const issued = await call(at('connect-keys'), {
      body: { device_id: device.deviceId, token: device.token, label: 'Groceries' },
    });
    expect(issued.status).toBe(201);
    expect(issued.body).toEqual({
      ok: true,
      connect_key: expect.stringMatching(/^svc_ck_[\w-]{64}$/),
      expires_at: new Date(now + 10 * 60_000).toISOString(),
    });

    later(1);
    const claimed = await claimKey(scene.service, scene.agent, issued.body.connect_key as string, [
      'payment.requests.create',
      'payment.requests.read',
      'payment.requests.read',
    ]);
    expect(claimed.status).toBe(201);
    const seen = {
      connect_invitation_id: expect.stringMatching(/^inv_/),
      status: 'claimed',
      agent_id: scene.agent.agentId,
      agent_name: scene.agentName,
      merchant_id: scene.merchant.merchantId,
      merchant_name: scene.merchantName,
      merchant_domain: scene.merchant.domain,
      requested_scopes: ['payment.requests.create', 'payment.requests.read'],
      scopes: null,
      connection_id: null,
      claimed_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      expires_at: new Date(now + 10 * 60_000).toISOString(),
      version: 2,
    };
    expect(claimed.body).toEqual({
      ok: true,
      connect_invitation: seen,
      claim_token: expect.stringMatching(/^svc_cl_[\w-]{64}$/),
    });
    const id = claimed.body.connect_invitation.connect_invitation_id as string;
    const claimToken = claimed.body.claim_token as string;

    const byAgent = await invitation(id, bearing(claimToken));
    const byWallet = await call(at(`connect-invitations/${id}?device_id=${device.deviceId}&token=${device.token}`));
    expect(byAgent.body).toEqual({ ok: true, connect_invitation: seen });
    expect(byWallet.body).toEqual({ ok: true, connect_invitation: { ...seen, label: 'Groceries' } });

    expect(refusal(await exchange(scene.service, { invitationId: id, claimToken }))).toEqual([409, 'approval_pending']);

    const approved = await decide(scene.service, device, id, 'approve');
    expect(approved.status).toBe(200);
    const connection = {
      connection_id: expect.stringMatching(/^con_/),
      status: 'active',
      agent_id: scene.agent.agentId,
      agent_name: scene.agentName,
      merchant_id: scene.merchant.merchantId,
      merchant_name: scene.merchantName,
      merchant_domain: scene.merchant.domain,
      scopes: ['payment.requests.create', 'payment.requests.read'],
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      version: 1,
    };
    expect(approved.body).toEqual({
      ok: true,
      connect_invitation: {
        ...seen,
        label: 'Groceries',
        status: 'approved',
        scopes: connection.scopes,
        connection_id: approved.body.connection.connection_id,
        version: 3,
      },
      connection,
    });
    const listed = await call(at('connections'), { headers: device.headers });
    expect(listed.body).toEqual({ ok: true, connections: [approved.body.connection], next_cursor: null });

    const exchanged = await exchange(scene.service, { invitationId: id, claimToken });
    expect(exchanged.status).toBe(200);
    expect(exchanged.body).toEqual({
      ok: true,
      connection: approved.body.connection,
      connection_token: expect.stringMatching(/^svc_ct_[\w-]{64}$/),
    });
    expect(await useConnection(scene.service, exchanged.body.connection_token as string)).toBe('accepted');
    expect(refusal(await exchange(scene.service, { invitationId: id, claimToken }))).toEqual([
      409,
      'already_exchanged',
    ]);
    expect((await invitation(id, bearing(claimToken))).body.connect_invitation.status).toBe('exchanged');
  });

  it('shows the wallet what waits for it, page by page, and nothing of others', async () => {
    const other = await registerDevice(scene.service);
    await claimInvitation(scene.service, scene.agent, other);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await claim()).invitationId);
      later(0.01);
    }
    const decided = (await claim()).invitationId;
    mustBe(200, await decide(scene.service, device, decided, 'reject'));
    await issueConnectKey(scene.service, device);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: Answer = await call(at(`connect-invitations?limit=2${query}`), { headers: device.headers });
      expect(page.status).toBe(200);
      const entries = page.body.connect_invitations as { connect_invitation_id: string; status: string }[];
      for (const { connect_invitation_id, status } of entries) {
        seen.push(connect_invitation_id);
        expect(status).toBe('claimed');
      }
      cursor = page.body.next_cursor as string | null;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    const broken = await call(at('connect-invitations?cursor=x&limit=0'), { headers: device.headers });
    expect(refusal(broken)).toEqual([400, 'validation_failed']);
    expect(broken.body.error.issues.map(({ field }: { field: string }) => field).sort()).toEqual(['cursor', 'limit']);
  });

  describe('the claim', () => {
    it('needs an agent token', async () => {
      const key = await issueConnectKey(scene.service, device);
      const body = { connect_key: key, requested_scopes: SCOPES };
      const url = at('connect-invitations/claim');
      expect(refusal(await call(url, { body }))).toEqual([401, 'unauthenticated']);
      for (const wrong of [newTokenFor('claim', newId('inv')), 'svc_at_nonsense']) {
        expect(refusal(await call(url, { body, headers: bearing(wrong) }))).toEqual([401, 'invalid_token']);
      }
      expect(refusal(await call(url, { body, headers: device.headers }))).toEqual([401, 'unauthenticated']);
    });

    it('answers an unknown key and a spent one alike', async () => {
      const spent = await issueConnectKey(scene.service, device);
      mustBe(201, await claimKey(scene.service, scene.agent, spent));
      const url = at('connect-invitations/claim');
      const headers = { ...bearing(await scene.agent.token()), 'x-request-id': 'same' };
      const inner = spent.slice('svc_ck_'.length);
      const forged = `svc_ck_${inner.slice(0, 30)}${'A'.repeat(34)}`;
      const keys = [spent, newTokenFor('connectKey', newId('inv')), forged, 'svc_ck_nonsense', 'nonsense'];
      const answers = await Promise.all(
        keys.map((connect_key) => call(url, { headers, body: { connect_key, requested_scopes: SCOPES } })),
      );
      expect(refusal(answers[0] as Answer)).toEqual([401, 'invalid_grant']);
      expect(answers[0]?.headers.get('www-authenticate')).toContain('invalid_grant');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    it('asks for no more than the agent is allowed, and does not spend the key on it', async () => {
      const limited = await scene.newAgent(['payment.requests.read']);
      const key = await issueConnectKey(scene.service, device);
      const refused = await claimKey(scene.service, limited, key, ['payment.requests.read', 'payment.requests.create']);
      expect(refusal(refused)).toEqual([403, 'scope_not_allowed']);
      expect(refused.body.error.details).toEqual({ scopes: ['payment.requests.create'] });
      expect(refusal(await claimKey(scene.service, limited, key, ['wallet.drain']))).toEqual([
        403,
        'scope_not_allowed',
      ]);
      mustBe(201, await claimKey(scene.service, limited, key, ['payment.requests.read']));
    });

    it('lists every problem of its input', async () => {
      const { status, body } = await call(at('connect-invitations/claim'), {
        headers: bearing(await scene.agent.token()),
        body: { requested_scopes: ['payment.requests.read', 7, ''], merchant_id: 'mer_1' },
      });
      expect(status).toBe(400);
      expect(body.error.issues.map(({ field }: { field: string }) => field).sort()).toEqual([
        'connect_key',
        'merchant_id',
        'requested_scopes.1',
        'requested_scopes.2',
      ]);
      const empty = await claimKey(scene.service, scene.agent, 'x', []);
      expect(refusal(empty)).toEqual([400, 'validation_failed']);
    });

    it('comes within ten minutes', async () => {
      const key = await issueConnectKey(scene.service, device);
      later(10);
      expect(refusal(await claimKey(scene.service, scene.agent, key))).toEqual([410, 'invitation_expired']);
      expect(refusal(await claimKey(scene.service, scene.agent, key))).toEqual([410, 'invitation_expired']);
    });
  });

  describe('the decision', () => {
    it('may narrow the scopes and never widen them', async () => {
      const { invitationId, claimToken } = await claim(['payment.requests.create', 'payment.requests.read']);
      const wider = await decide(scene.service, device, invitationId, 'approve', {
        scopes: ['payment.requests.read', 'transaction_contexts.read'],
      });
      expect(refusal(wider)).toEqual([403, 'scope_not_allowed']);
      expect(refusal(await decide(scene.service, device, invitationId, 'approve', { scopes: [] }))).toEqual([
        400,
        'validation_failed',
      ]);
      const narrowed = await decide(scene.service, device, invitationId, 'approve', {
        scopes: ['payment.requests.read'],
      });
      expect(narrowed.body.connection.scopes).toEqual(['payment.requests.read']);
      const { body } = await exchange(scene.service, { invitationId, claimToken });
      expect(await useConnection(scene.service, body.connection_token as string, 'payment.requests.read')).toBe(
        'accepted',
      );
      expect(await useConnection(scene.service, body.connection_token as string, 'payment.requests.create')).toBe(
        'insufficient_scope',
      );
    });

    it('may be repeated, and not be changed', async () => {
      const { invitationId } = await claim();
      const first = await decide(scene.service, device, invitationId, 'approve');
      const again = await decide(scene.service, device, invitationId, 'approve');
      expect([again.status, again.body]).toEqual([200, first.body]);
      for (const [decision, body] of [
        ['reject', {}],
        ['approve', { scopes: ['payment.requests.read'] }],
      ] as const) {
        const changed = await decide(scene.service, device, invitationId, decision, body);
        expect(refusal(changed)).toEqual([409, 'invalid_status_transition']);
        expect(changed.body.error.details).toEqual({ current_status: 'approved' });
      }
    });

    it('may be no', async () => {
      const claimed = await claim();
      const first = await decide(scene.service, device, claimed.invitationId, 'reject');
      expect(first.body.connect_invitation.status).toBe('rejected');
      const again = await decide(scene.service, device, claimed.invitationId, 'reject');
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(refusal(await exchange(scene.service, claimed))).toEqual([403, 'invitation_rejected']);
      const late = await decide(scene.service, device, claimed.invitationId, 'approve');
      expect(refusal(late)).toEqual([409, 'invalid_status_transition']);
      expect(late.body.error.details).toEqual({ current_status: 'rejected' });
      expect((await call(at('connections'), { headers: device.headers })).body.connections).toEqual([]);
    });

    it('is the wallet’s that made the key: for any other the invitation does not exist', async () => {
      const { invitationId, claimToken } = await claim();
      const other = await registerDevice(scene.service);
      const headers = { ...other.headers, 'x-request-id': 'same' };
      for (const [path, body] of [
        ['', undefined],
        ['/approve', {}],
        ['/reject', {}],
      ] as const) {
        const [strange, absent] = await Promise.all(
          [invitationId, newId('inv')].map((id) =>
            call(at(`connect-invitations/${id}${path}`), { headers, ...(body ? { body } : {}) }),
          ),
        );
        expect(refusal(strange as Answer)).toEqual([404, 'resource_not_found']);
        expect(strange?.text).toBe(absent?.text);
      }
      const approval = at(`connect-invitations/${invitationId}/approve`);
      expect(refusal(await call(approval, { headers: bearing(claimToken), body: {} }))).toEqual([
        401,
        'unauthenticated',
      ]);
      expect((await invitation(invitationId, bearing(claimToken))).body.connect_invitation.status).toBe('claimed');
    });

    it('comes within ten minutes of the claim', async () => {
      const [one, two] = [await claim(), await claim()];
      later(10);
      expect(refusal(await decide(scene.service, device, one.invitationId, 'approve'))).toEqual([
        410,
        'invitation_expired',
      ]);
      expect(refusal(await decide(scene.service, device, two.invitationId, 'reject'))).toEqual([
        410,
        'invitation_expired',
      ]);
      expect((await invitation(one.invitationId, bearing(one.claimToken))).body.connect_invitation.status).toBe(
        'expired',
      );
      expect((await invitation(two.invitationId, device.headers)).body.connect_invitation.status).toBe('expired');
      const waiting = await call(at('connect-invitations'), { headers: device.headers });
      expect(waiting.body.connect_invitations).toEqual([]);
    });
  });

  describe('the claim token', () => {
    it('opens its own invitation only', async () => {
      const [one, two] = [await claim(), await claim()];
      const headers = { ...bearing(one.claimToken), 'x-request-id': 'same' };
      for (const path of ['', '/exchange']) {
        const [strange, absent] = await Promise.all(
          [two.invitationId, newId('inv')].map((id) =>
            call(at(`connect-invitations/${id}${path}`), { headers, ...(path ? { body: {} } : {}) }),
          ),
        );
        expect(refusal(strange as Answer)).toEqual([404, 'resource_not_found']);
        expect(strange?.text).toBe(absent?.text);
      }
      for (const wrong of [newTokenFor('claim', one.invitationId), newTokenFor('claim', newId('inv')), 'svc_cl_x']) {
        expect(refusal(await invitation(one.invitationId, bearing(wrong)))).toEqual([401, 'invalid_token']);
      }
      const none = await call(at(`connect-invitations/${one.invitationId}`));
      expect(refusal(none)).toEqual([401, 'unauthenticated']);
      expect(refusal(await exchange(scene.service, { ...one, claimToken: await scene.agent.token() }))).toEqual([
        401,
        'invalid_token',
      ]);
    });

    it('is exchanged within ten minutes of the claim', async () => {
      const claimed = await claim();
      mustBe(200, await decide(scene.service, device, claimed.invitationId, 'approve'));
      later(10);
      expect(refusal(await exchange(scene.service, claimed))).toEqual([410, 'invitation_expired']);
    });

    it('is written down nowhere, and neither are key and connection token', async () => {
      const key = await issueConnectKey(scene.service, device);
      const { body } = await claimKey(scene.service, scene.agent, key);
      const id = body.connect_invitation.connect_invitation_id as string;
      await decide(scene.service, device, id, 'approve');
      const exchanged = await exchange(scene.service, { invitationId: id, claimToken: body.claim_token as string });
      const secrets = [key, body.claim_token, exchanged.body.connection_token] as string[];
      const kept = [...(await scene.everything()), scene.service.log()].join('\n');
      expect(kept).toContain(id);
      for (const secret of secrets) expect(kept).not.toContain(secret);
    });
  });
});
