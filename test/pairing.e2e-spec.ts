import { newId } from '../src/kernel/ids';
import { SCOPES } from './support/agents';
import { bearing, mustBe, type StartedPairing, startPairing } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const WRONG = 'AAAAAAAA';

describeOnEachPair('connecting by pairing', (start) => {
  let device: Device;
  let now = Date.now();

  const scene = useConnectScene(start, { clock: { now: () => new Date(now) } });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });

  const sessions = (): string => `${scene.service.url}/v1/pairing/sessions`;
  const pair = (scopes?: readonly string[]) => startPairing(scene.service, scene.agent, scopes);
  const look = async (
    { sessionId, code }: Pick<StartedPairing, 'sessionId' | 'code'>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> =>
    call(`${sessions()}/${sessionId}?code=${encodeURIComponent(code)}`, {
      headers: headers ?? bearing(await scene.agent.token()),
    });
  const decide = (
    { sessionId, code }: Pick<StartedPairing, 'sessionId' | 'code'>,
    decision: 'approve' | 'reject',
    { body = {}, by = device }: Readonly<{ body?: object; by?: Device }> = {},
  ): Promise<Answer> =>
    call(`${sessions()}/${sessionId}/${decision}`, {
      body: { device_id: by.deviceId, token: by.token, code, ...body },
    });

  it('leads from a code through the approval to the token, on both sides', async () => {
    const started = await call(sessions(), {
      headers: bearing(await scene.agent.token()),
      body: { requested_scopes: ['payment.requests.create', 'payment.requests.read'] },
    });
    expect(started.status).toBe(201);
    const seen = {
      pairing_session_id: expect.stringMatching(/^prs_/),
      status: 'pending',
      agent_id: scene.agent.agentId,
      agent_name: scene.agentName,
      merchant_id: scene.merchant.merchantId,
      merchant_name: scene.merchantName,
      merchant_domain: scene.merchant.domain,
      requested_scopes: ['payment.requests.create', 'payment.requests.read'],
      scopes: null,
      connection_id: null,
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      expires_at: new Date(now + 10 * 60_000).toISOString(),
      version: 1,
    };
    const { code, uri, pairing_session_id: sessionId } = started.body.pairing_session as Record<string, string>;
    expect(started.body).toEqual({
      ok: true,
      pairing_session: {
        ...seen,
        code: expect.stringMatching(/^[3479ACDEFHJKMNPQRTWXY]{8}$/),
        uri: expect.stringMatching(/^svc:\/\/pair\?/),
      },
    });
    expect(Object.fromEntries(new URL(uri ?? '').searchParams)).toEqual({
      session: sessionId,
      code,
      base_url: 'http://svc.test',
    });
    const session = { sessionId: sessionId ?? '', code: code ?? '' };

    expect((await look(session)).body).toEqual({ ok: true, pairing_session: seen });
    expect((await look(session, device.headers)).body).toEqual({ ok: true, pairing_session: seen });

    const approved = await decide(session, 'approve');
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
    expect(approved.body).toEqual({ ok: true, connection, connection_token: expect.stringMatching(/^svc_ct_/) });
    const token = approved.body.connection_token as string;
    expect(await useConnection(scene.service, token)).toBe('accepted');

    const wallet = await look(session, device.headers);
    expect(wallet.body).toEqual({
      ok: true,
      pairing_session: {
        ...seen,
        status: 'approved',
        scopes: connection.scopes,
        connection_id: approved.body.connection.connection_id,
        version: 2,
      },
    });
    const heads = await fetch(`${sessions()}/${session.sessionId}?code=${session.code}`, {
      method: 'HEAD',
      headers: bearing(await scene.agent.token()),
    });
    expect(heads.status).toBe(200);
    const first = await look(session);
    expect(first.body).toMatchObject({ connection: approved.body.connection, connection_token: token });
    const second = await look(session);
    expect(second.body.connection).toEqual(approved.body.connection);
    expect(second.body).not.toHaveProperty('connection_token');
  });

  it('accepts the code however people type it', async () => {
    const session = await pair();
    const typed = `${session.code.slice(0, 4).toLowerCase()} - ${session.code.slice(4)}`;
    expect((await look({ ...session, code: typed }, device.headers)).status).toBe(200);
    expect((await decide({ ...session, code: typed }, 'approve')).status).toBe(200);
  });

  it('may grant less than was asked, and never more', async () => {
    const session = await pair(['payment.requests.create', 'payment.requests.read']);
    const wider = await decide(session, 'approve', { body: { scopes: ['transaction_contexts.read'] } });
    expect(refusal(wider)).toEqual([403, 'scope_not_allowed']);
    const { body } = await decide(session, 'approve', { body: { scopes: ['payment.requests.read'] } });
    expect(body.connection.scopes).toEqual(['payment.requests.read']);
    expect(await useConnection(scene.service, body.connection_token as string, 'payment.requests.create')).toBe(
      'insufficient_scope',
    );
  });

  it('cannot request more than the agent is allowed', async () => {
    const limited = await scene.newAgent(['payment.requests.read']);
    const headers = bearing(await limited.token());
    const refused = await call(sessions(), { headers, body: { requested_scopes: SCOPES } });
    expect(refusal(refused)).toEqual([403, 'scope_not_allowed']);
    expect(refused.body.error.field).toBe('requested_scopes.0');
    const unreadable = await call(sessions(), { headers, body: { requested_scopes: [SCOPES[0], 5] } });
    expect(unreadable.body.error.issues).toMatchObject([{ code: 'wrong_type' }, { code: 'scope_not_allowed' }]);
    expect(refusal(await call(sessions(), { body: { requested_scopes: SCOPES } }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await call(sessions(), { headers, body: {} }))).toEqual([400, 'validation_failed']);
  });

  it('is approved once', async () => {
    const session = await pair();
    mustBe(200, await decide(session, 'approve'));
    for (const by of [device, await registerDevice(scene.service)]) {
      const again = await decide(session, 'approve', { by });
      expect(refusal(again)).toEqual([409, 'invalid_status_transition']);
      expect(again.body.error.details).toEqual({ current_status: 'approved' });
    }
    expect(refusal(await decide(session, 'reject'))).toEqual([409, 'invalid_status_transition']);
  });

  it('may be rejected', async () => {
    const session = await pair();
    const first = await decide(session, 'reject');
    expect(first.body.pairing_session.status).toBe('rejected');
    expect((await decide(session, 'reject')).body).toEqual(first.body);
    const late = await decide(session, 'approve');
    expect(refusal(late)).toEqual([409, 'invalid_status_transition']);
    expect(late.body.error.details).toEqual({ current_status: 'rejected' });
    const seen = await look(session);
    expect(seen.body.pairing_session.status).toBe('rejected');
    expect(seen.body).not.toHaveProperty('connection');
  });

  it('answers a wrong code and an unknown session alike', async () => {
    const session = await pair();
    const headers = { ...device.headers, 'x-request-id': 'same' };
    const ask = async (sessionId: string, code: string): Promise<string[]> => {
      const url = `${sessions()}/${sessionId}`;
      const answers = [
        await call(`${url}?code=${code}`, { headers }),
        await call(`${url}/approve`, { headers, body: { code } }),
        await call(`${url}/reject`, { headers, body: { code } }),
      ];
      for (const answer of answers) expect(refusal(answer)).toEqual([404, 'resource_not_found']);
      return answers.map(({ text }) => text);
    };
    expect(await ask(session.sessionId, WRONG)).toEqual(await ask(newId('prs'), session.code));
    const none = await call(`${sessions()}/${session.sessionId}`, { headers });
    expect(refusal(none)).toEqual([400, 'validation_failed']);
    expect(none.body.error.field).toBe('code');
    expect(refusal(await call(`${sessions()}/${session.sessionId}?code=${session.code}`))).toEqual([
      401,
      'unauthenticated',
    ]);
  });

  it('ends with the fifth wrong code, whoever typed it and wherever', async () => {
    const session = await pair();
    const wrong = { ...session, code: WRONG };
    const tries = [
      () => look(wrong),
      () => look(wrong, device.headers),
      () => decide(wrong, 'approve'),
      () => decide(wrong, 'reject'),
    ];
    for (const attempt of tries) expect(refusal(await attempt())).toEqual([404, 'resource_not_found']);
    expect((await look(session)).body.pairing_session.status).toBe('pending');
    expect(refusal(await look(wrong))).toEqual([404, 'resource_not_found']);
    for (const answer of [await look(session), await decide(session, 'approve'), await decide(session, 'reject')]) {
      expect(refusal(answer)).toEqual([410, 'invitation_expired']);
    }
    expect(refusal(await look(wrong))).toEqual([404, 'resource_not_found']);
  });

  it('belongs to the agent that started it: another agent sees nothing and uses up no attempts', async () => {
    const session = await pair();
    const others = bearing(await (await scene.newAgent()).token());
    for (let attempt = 0; attempt < 6; attempt += 1) {
      for (const code of [session.code, WRONG]) {
        expect(refusal(await look({ ...session, code }, others))).toEqual([404, 'resource_not_found']);
      }
    }
    mustBe(200, await decide(session, 'approve'));
    expect(refusal(await look(session, others))).toEqual([404, 'resource_not_found']);
    expect((await look(session)).body).toHaveProperty('connection_token');
  });

  it('lasts ten minutes; a token approved in time can be fetched later', async () => {
    const [open, approved] = [await pair(), await pair()];
    mustBe(200, await decide(approved, 'approve'));
    now += 10 * 60_000;
    for (const answer of [await look(open), await decide(open, 'approve'), await decide(open, 'reject')]) {
      expect(refusal(answer)).toEqual([410, 'invitation_expired']);
    }
    expect((await look(approved)).body).toHaveProperty('connection_token');
  });

  describe('found by its code', () => {
    const find = (code: string, headers: Readonly<Record<string, string>> = device.headers): Promise<Answer> =>
      call(`${sessions()}?code=${encodeURIComponent(code)}`, { headers });

    it('shows who asks and for what, to any wallet that has the code', async () => {
      const session = await pair(['payment.requests.read']);
      const typed = `${session.code.slice(0, 4).toLowerCase()}-${session.code.slice(4)}`;
      const found = await find(typed);
      expect(found.status).toBe(200);
      expect(found.body).toEqual((await look(session, device.headers)).body);
      expect(found.body.pairing_session).toMatchObject({
        pairing_session_id: session.sessionId,
        merchant_domain: scene.merchant.domain,
        requested_scopes: ['payment.requests.read'],
      });
      expect(found.text).not.toContain(session.code);
      mustBe(200, await decide({ ...session, code: typed }, 'approve'));
    });

    it('is gone once decided, expired or ended by wrong codes, and does not count as an attempt', async () => {
      const [approved, rejected, missed, late] = [await pair(), await pair(), await pair(), await pair()];
      mustBe(200, await decide(approved, 'approve'));
      mustBe(200, await decide(rejected, 'reject'));
      for (let attempt = 0; attempt < 6; attempt += 1) {
        expect(refusal(await find(WRONG))).toEqual([404, 'resource_not_found']);
      }
      expect((await find(missed.code)).status).toBe(200);
      for (let attempt = 0; attempt < 5; attempt += 1) await look({ ...missed, code: WRONG }, device.headers);
      for (const { code } of [approved, rejected, missed]) {
        expect(refusal(await find(code))).toEqual([404, 'resource_not_found']);
      }
      now += 10 * 60_000;
      expect(refusal(await find(late.code))).toEqual([404, 'resource_not_found']);
    });

    it('requires a wallet and a code', async () => {
      const { code } = await pair();
      const agent = bearing(await scene.agent.token());
      expect(refusal(await find(code, agent))).toEqual([401, 'unauthenticated']);
      const none = await call(sessions(), { headers: device.headers });
      expect([none.status, none.body.error.field]).toEqual([400, 'code']);
    });
  });

  it('stores neither code nor token', async () => {
    const session = await pair();
    const { body } = await decide(session, 'approve');
    const kept = [...(await scene.everything()), scene.service.log()].join('\n');
    expect(kept).toContain(session.sessionId);
    expect(kept).not.toContain(session.code);
    expect(kept).not.toContain(body.connection_token);
  });
});
