import { newKeyPair, signAssertion, signJws } from './support/agent-client';
import {
  type ActiveAgent,
  addCredential,
  BASE_URL,
  changeAgent,
  createActiveAgent,
  createAgent,
  exchangeAssertion,
  registerCredential,
  revokeCredential,
} from './support/agents';
import { AT_ONCE, countFigure } from './support/figures';
import { type Answer } from './support/http';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const AUDIENCE = `${BASE_URL}/v1/agent-auth/token`;
const HEADER = { alg: 'EdDSA', typ: 'agent-assertion+jwt' };
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('agent auth', (start) => {
  let merchant: SignedUpMerchant;
  let agent: ActiveAgent;
  let time = Date.now();
  const clock = { now: () => new Date(time) };

  const { service, dns } = useServiceWithDns({ start, clock });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
    agent = await createActiveAgent(service, merchant, { clock, kid: 'main' });
  });

  const seconds = (): number => Math.floor(time / 1000);
  let jtis = 0;
  const claims = (changes: object = {}): object => ({
    aud: AUDIENCE,
    iat: seconds(),
    exp: seconds() + 120,
    jti: `jti-${(jtis += 1)}`,
    ...changes,
  });
  /** An assertion of the given agent, with optional changes to claims and header fields. */
  const signed = (
    changes: object = {},
    header: object = {},
    by: Pick<ActiveAgent, 'keyPair' | 'kid'> = agent,
  ): string => signJws(by.keyPair, { ...HEADER, kid: by.kid, ...header }, claims(changes));
  const exchange = (assertion: unknown): Promise<Answer> => exchangeAssertion(service, assertion);

  it('exchanges an assertion for a short-lived token', async () => {
    const { status, body, headers } = await exchange(signed());
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      agent_token: expect.stringMatching(/^svc_at_[\w-]{64}$/),
      token_type: 'Bearer',
      expires_in: 600,
      expires_at: new Date(time + 600_000).toISOString(),
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('accepts what the client library signs, with and without the agent’s id', async () => {
    const { keyPair, kid, agentId } = agent;
    for (const name of [{}, { agentId }]) {
      const assertion = signAssertion(keyPair, { kid, audience: AUDIENCE, now: clock.now(), ...name });
      expect((await exchange(assertion)).status).toBe(200);
    }
  });

  it('accepts iss and sub if they are the agent’s, and an audience in a list of one', async () => {
    const { agentId } = agent;
    for (const names of [{ iss: agentId }, { sub: agentId }, { iss: agentId, sub: agentId }, { aud: [AUDIENCE] }]) {
      expect((await exchange(signed(names))).status).toBe(200);
    }
  });

  describe('answers 401 invalid_assertion', () => {
    it.each<[string, () => unknown]>([
      ['what is no JWS', () => 'not a jws'],
      ['alg none', () => `${signed({}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`],
      ['another alg', () => signed({}, { alg: 'ES256' })],
      ['another typ', () => signed({}, { typ: 'JWT' })],
      ['a critical header', () => signed({}, { crit: ['b64'], b64: false })],
      ['an unknown kid', () => signed({}, { kid: 'unknown' })],
      ['a signature by another key', () => signed({}, {}, { keyPair: newKeyPair(), kid: agent.kid })],
      ['a signature over something else', () => signed().replace(/\.[^.]+\./, `.${signed().split('.')[1]}.`)],
      ['a forged small-order signature', () => signed().replace(/[^.]+$/, forgedSignature)],
      ['another audience', () => signed({ aud: 'http://other.test/v1/agent-auth/token' })],
      ['an audience with a slash behind', () => signed({ aud: `${AUDIENCE}/` })],
      ['two audiences', () => signed({ aud: [AUDIENCE, AUDIENCE] })],
      ['another agent’s name', () => signed({ iss: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ' })],
      ['two names', () => signed({ iss: agent.agentId, sub: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ' })],
      ['an assertion that ended', () => signed({ iat: seconds() - 300, exp: seconds() - 61 })],
      ['one without jti', () => signed({ jti: undefined })],
      ['one without times', () => signed({ iat: undefined, exp: undefined })],
    ])('to %s', async (_name, assertion) => {
      const answer = await exchange(assertion());
      expect(refusal(answer)).toEqual([401, 'invalid_assertion']);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    });

    it('to an unknown kid and to a wrong signature in the same words', async () => {
      const answers = await Promise.all([
        exchange(signed({}, { kid: 'unknown' })),
        exchange(signed({}, {}, { keyPair: newKeyPair(), kid: agent.kid })),
        exchange(signed({ iss: agent.agentId }, {}, { keyPair: newKeyPair(), kid: agent.kid })),
        exchange(signed({ iss: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ' })),
      ]);
      const told = answers.map(({ body }) => ({ ...(body.error as object), request_id: '' }));
      expect(told).toEqual(told.map(() => told[0]));
    });

    it('to a key that was registered and never proven', async () => {
      const agentId = await createAgent(service, merchant);
      const keyPair = newKeyPair();
      await addCredential(service, merchant, agentId, newKeyPair(), { clock, kid: 'proven' });
      await changeAgent(service, merchant, agentId, { status: 'active' });
      await registerCredential(service, merchant, agentId, keyPair, { clock, kid: 'unproven' });
      for (const name of [{}, { iss: agentId }]) {
        const answer = await exchange(signed(name, {}, { keyPair, kid: 'unproven' }));
        expect(refusal(answer)).toEqual([401, 'invalid_assertion']);
      }
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['an empty text', ''],
    ['an endless text', 'a'.repeat(4097)],
  ])('refuses %s because it is not an assertion at all', async (_name, assertion) => {
    expect(refusal(await exchange(assertion))).toEqual([400, 'validation_failed']);
  });

  it.each([
    ['issued in the future', { iat: 61, exp: 121 }],
    ['not to be used before a time in the future', { iat: 0, exp: 120, nbf: 61 }],
    ['meant to last too long', { iat: 0, exp: 301 }],
  ])('answers 403 clock_skew to one %s, with its own time', async (_name, offsets) => {
    const times = Object.entries(offsets).map(([name, offset]) => [name, seconds() + offset]);
    const answer = await exchange(signed(Object.fromEntries(times) as object));
    expect(refusal(answer)).toEqual([403, 'clock_skew']);
    expect(answer.body.error.details).toEqual({ server_time: new Date(time).toISOString() });
  });

  it('tolerates a clock that is a minute off', async () => {
    expect((await exchange(signed({ iat: seconds() + 60, exp: seconds() + 180 }))).status).toBe(200);
    expect((await exchange(signed({ iat: seconds() - 178, exp: seconds() - 58 }))).status).toBe(200);
  });

  it('accepts each jti once per credential', async () => {
    const assertion = signed({ jti: 'only once' });
    expect((await exchange(assertion)).status).toBe(200);
    expect(refusal(await exchange(assertion))).toEqual([409, 'assertion_replayed']);
    expect(refusal(await exchange(signed({ jti: 'only once', exp: seconds() + 60 })))).toEqual([
      409,
      'assertion_replayed',
    ]);
    const other = await createActiveAgent(service, merchant, { clock, kid: 'main' });
    expect((await exchange(signed({ jti: 'only once' }, {}, other))).status).toBe(200);
  });

  it(`lets one of ${AT_ONCE} uses of one assertion win`, async () => {
    const assertion = signed();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => exchange(assertion)));
    const won = answers.filter(({ status }) => status === 200);
    const replayed = answers.filter(({ body }) => body.error?.code === 'assertion_replayed');
    countFigure('a jti is taken once', answers.length, 1, won.length);
    expect([won.length, replayed.length]).toEqual([1, answers.length - 1]);
  }, 90_000);

  it('tells agents with the same kid apart by their keys', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => createActiveAgent(service, merchant, { clock, kid: 'main' })),
    );
    for (const other of others) expect((await exchange(signed({}, {}, other))).status).toBe(200);
    const [one, another] = others as [ActiveAgent, ActiveAgent];
    expect(refusal(await exchange(signed({ iss: one.agentId }, {}, another)))).toEqual([401, 'invalid_assertion']);
  });

  it('refuses a revoked credential', async () => {
    const other = await createActiveAgent(service, merchant, { clock, kid: 'revoked' });
    await revokeCredential(service, merchant, other.agentId, other.credentialId);
    expect(refusal(await exchange(signed({}, {}, other)))).toEqual([403, 'credential_revoked']);
    expect(refusal(await exchange(signed({ iss: other.agentId }, {}, other)))).toEqual([403, 'credential_revoked']);
  });

  it('uses the active credential if the key once belonged to another agent', async () => {
    const before = await createActiveAgent(service, merchant, { clock, kid: 'moved' });
    await revokeCredential(service, merchant, before.agentId, before.credentialId);
    const agentId = await createAgent(service, merchant);
    await addCredential(service, merchant, agentId, before.keyPair, { clock, kid: 'moved' });
    await changeAgent(service, merchant, agentId, { status: 'active' });
    expect((await exchange(signed({}, {}, before))).status).toBe(200);
    expect(refusal(await exchange(signed({ iss: before.agentId }, {}, before)))).toEqual([403, 'credential_revoked']);
  });

  it('refuses a credential before and after its validity period, and no token outlives it', async () => {
    const agentId = await createAgent(service, merchant);
    const keyPair = newKeyPair();
    const at = (minutes: number): string => new Date(time + minutes * 60_000).toISOString();
    await addCredential(service, merchant, agentId, keyPair, {
      clock,
      kid: 'short',
      not_before: at(2),
      expires_at: at(9),
    });
    await changeAgent(service, merchant, agentId, { status: 'active' });
    const short = { keyPair, kid: 'short' };
    expect(refusal(await exchange(signed({}, {}, short)))).toEqual([403, 'credential_not_valid']);
    time += 2 * 60_000;
    const { body } = await exchange(signed({}, {}, short));
    expect([body.expires_in, Date.parse(body.expires_at as string)]).toEqual([420, time + 420_000]);
    time += 7 * 60_000;
    expect(refusal(await exchange(signed({}, {}, short)))).toEqual([403, 'credential_not_valid']);
  });

  it('refuses agents that are pending, suspended or revoked', async () => {
    const agentId = await createAgent(service, merchant);
    const keyPair = newKeyPair();
    await addCredential(service, merchant, agentId, keyPair, { clock, kid: 'idle' });
    const idle = { keyPair, kid: 'idle' };
    const verdicts = [refusal(await exchange(signed({}, {}, idle)))];
    for (const status of ['active', 'suspended', 'revoked']) {
      await changeAgent(service, merchant, agentId, { status });
      verdicts.push(refusal(await exchange(signed({}, {}, idle))));
    }
    const refused = [403, 'agent_not_active'];
    expect(verdicts).toEqual([refused, [200, undefined], refused, refused]);
  });

  it('writes neither assertion nor token into the log', async () => {
    const assertion = signed();
    const { body } = await exchange(assertion);
    expect(service.log()).toContain('/v1/agent-auth/token');
    for (const secret of [assertion, body.agent_token as string]) expect(service.log()).not.toContain(secret);
  });
});

const forgedSignature = Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64url');
