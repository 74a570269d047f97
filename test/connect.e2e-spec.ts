import { newTokenFor } from '../src/platform/secrets/bound-tokens';
import { newId } from '../src/kernel/ids';
import { SCOPES } from './support/agents';
import { bearing, claimInvitation, claimKey, decide, exchange, issueConnectKey, mustBe } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('connecting by a Connect Key', (start) => {
  let device: Device;
  let now = Date.now();

  const scene = useConnectScene(start, { clock: { now: () => new Date(now) } });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });

  const at = (path: string): string => `${scene.service.url}/v1/${path}`;
  const invitation = (id: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    call(at(`connect-invitations/${id}`), { headers });
  const claim = (scopes?: readonly string[]) => claimInvitation(scene.service, scene.agent, device, scopes);
  const later = (minutes: number): void => void (now += minutes * 60_000);

  it('leads from a key through claim and approval to a connection token', async () => {
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
      revoked_reason: null,
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

  it('shows the wallet its pending invitations, page by page, and nobody else’s', async () => {
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
    expect(seen).toEqual([...ids].reverse());
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
      const ofAnotherKind = bearing(newTokenFor('claim', newId('inv')));
      expect(refusal(await call(url, { body, headers: ofAnotherKind }))).toEqual([401, 'unauthenticated']);
      const wrong = bearing('svc_at_nonsense');
      expect(refusal(await call(url, { body, headers: wrong }))).toEqual([401, 'invalid_token']);
      expect(refusal(await call(url, { body, headers: device.headers }))).toEqual([401, 'unauthenticated']);
    });

    it('answers an unknown key and a used one alike', async () => {
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

    it('accepts no key of a removed wallet, because nobody could decide', async () => {
      const [key, spare] = [await issueConnectKey(scene.service, device), await issueConnectKey(scene.service, device)];
      const { headers } = device;
      mustBe(200, await call(at(`wallet-devices/${device.deviceId}`), { method: 'DELETE', headers, body: {} }));
      expect(refusal(await claimKey(scene.service, scene.agent, key))).toEqual([401, 'invalid_grant']);
      const more = await claimKey(scene.service, scene.agent, spare, ['wallet.drain']);
      expect(more.body.error.issues).toContainEqual(expect.objectContaining({ field: 'connect_key' }));
    });

    it('cannot request more than the agent is allowed, and such an attempt does not use up the key', async () => {
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

    it('must be made within ten minutes', async () => {
      const key = await issueConnectKey(scene.service, device);
      later(10);
      expect(refusal(await claimKey(scene.service, scene.agent, key))).toEqual([410, 'invitation_expired']);
      expect(refusal(await claimKey(scene.service, scene.agent, key))).toEqual([410, 'invitation_expired']);
    });
  });
});
