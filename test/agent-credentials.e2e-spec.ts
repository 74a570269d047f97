import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { newKeyPair, signChallenge } from './support/agent-client';
import {
  addCredential,
  changeAgent,
  createActiveAgent,
  createAgent,
  registerCredential,
  registerPending,
  revokeCredential,
} from './support/agents';
import { AT_ONCE, countFigure } from './support/figures';
import { type Answer, call } from './support/http';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MINUTE = 60_000;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const issues = ({ body }: Answer): unknown[] =>
  (body.error.issues as { field: string; code: string }[]).map(({ field, code }) => [field, code]);
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

describeOnEachPair('agent credentials', (start) => {
  let merchant: SignedUpMerchant;
  let time = Date.now();
  const clock = { now: () => new Date(time) };

  const { service, dns } = useServiceWithDns({ start, clock });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
  });

  const aPendingCredential = (keyPair = newKeyPair(), by: SignedUpMerchant = merchant) =>
    registerPending(service, by, keyPair, clock);
  const wrongSignature = Buffer.alloc(64, 3).toString('base64url');

  it('are registered with a challenge to sign', async () => {
    const agentId = await createAgent(service, merchant);
    const { publicKey } = newKeyPair();
    const times = { not_before: '2026-01-01T00:00:00+01:00', expires_at: new Date(time + 90 * MINUTE).toISOString() };
    const body = { kid: 'key-1', alg: 'Ed25519', public_key: publicKey, ...times };
    const url = `${service.url}/v1/agents/${agentId}/credentials`;
    const answer = await call(url, { headers: merchant.headers, body });
    expect(answer.status).toBe(201);
    const credential = {
      credential_id: expect.stringMatching(/^crd_[0-9A-HJKMNP-TV-Z]{26}$/),
      kid: 'key-1',
      alg: 'Ed25519',
      public_key: publicKey,
      status: 'pending',
      not_before: '2025-12-31T23:00:00.000Z',
      expires_at: times.expires_at,
      proof_challenge_expires_at: new Date(time + 5 * MINUTE).toISOString(),
      created_at: expect.stringMatching(TIME),
      activated_at: null,
      revoked_at: null,
      revocation_reason: null,
    };
    const { credential_id: credentialId } = answer.body.credential as { credential_id: string };
    expect(answer.body).toEqual({
      ok: true,
      credential,
      agent: expect.objectContaining({ agent_id: agentId, version: 1, credentials: [credential] }),
      proof_challenge: expect.stringMatching(`^svc-agent-credential-proof:v1:${agentId}:${credentialId}:[\\w-]{43}$`),
      proof_challenge_expires_at: credential.proof_challenge_expires_at,
    });
  });

  it('accept the key in either base64 alphabet and store it in one', async () => {
    const { publicKey } = newKeyPair();
    const bytes = Buffer.from(publicKey, 'base64url');
    for (const spelling of [publicKey, `${publicKey}=`, bytes.toString('base64')]) {
      const agentId = await createAgent(service, merchant);
      const answer = await registerCredential(
        service,
        merchant,
        agentId,
        { ...newKeyPair(), publicKey: spelling },
        { clock },
      );
      expect(answer.body.credential.public_key).toBe(publicKey);
    }
  });

  it('become active with a signature over the challenge, in either base64 alphabet', async () => {
    const [one, other] = [await aPendingCredential(), await aPendingCredential()];
    const { status, body } = await one.prove();
    expect(status).toBe(200);
    expect(body.credential).toMatchObject({ status: 'active', activated_at: expect.stringMatching(TIME) });
    expect(body.agent).toMatchObject({ version: 1, credentials: [body.credential] });
    const base64 = Buffer.from(signChallenge(other.keyPair, other.challenge), 'base64url').toString('base64');
    expect((await other.prove({ signature: base64 })).status).toBe(200);
  });

  it('may be several at a time', async () => {
    const { agentId } = await createActiveAgent(service, merchant, { clock });
    await addCredential(service, merchant, agentId, newKeyPair(), { clock, kid: 'key-2' });
    const { body } = await call(`${service.url}/v1/agents/${agentId}`, { headers: merchant.headers });
    expect((body.agent.credentials as { status: string }[]).map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('report every problem of a bad registration at once', async () => {
    const agentId = await createAgent(service, merchant);
    const register = (changes: object): Promise<Answer> =>
      registerCredential(service, merchant, agentId, newKeyPair(), { clock, ...changes });
    const bad = { kid: 'key 1', alg: 'RS256', public_key: 'short', not_before: 'now', expires_at: 7 };
    expect(issues(await register(bad))).toEqual([
      ['kid', 'malformed'],
      ['alg', 'not_allowed'],
      ['public_key', 'malformed'],
      ['not_before', 'malformed'],
      ['expires_at', 'wrong_type'],
    ]);
    expect(issues(await register({ kid: 'k'.repeat(129) }))).toEqual([['kid', 'too_long']]);
    const at = (offset: number): string => new Date(time + offset * MINUTE).toISOString();
    expect(issues(await register({ not_before: at(-1), expires_at: at(-2) }))).toEqual([
      ['expires_at', 'in_the_past'],
      ['expires_at', 'out_of_range'],
    ]);
    expect(issues(await register({ alg: 'RS256', not_before: 'now', expires_at: at(-2) }))).toEqual([
      ['alg', 'not_allowed'],
      ['not_before', 'malformed'],
      ['expires_at', 'in_the_past'],
    ]);
    expect((await register({ kid: 'for-long', expires_at: '2099-12-31T23:59:59Z' })).status).toBe(201);
    await register({});
    expect(issues(await register({}))).toEqual([['kid', 'taken']]);
  });

  it('refuse keys under which anyone can sign', async () => {
    const agentId = await createAgent(service, merchant);
    const identity = '01'.padEnd(64, '0');
    const again = 'ee'.padEnd(62, 'f') + '7f';
    const orderEight = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
    for (const hex of [identity, again, orderEight, '00'.repeat(32), 'ed'.padEnd(62, 'f') + '7f']) {
      const publicKey = Buffer.from(hex, 'hex').toString('base64url');
      const answer = await registerCredential(service, merchant, agentId, { ...newKeyPair(), publicKey }, { clock });
      expect([hex, issues(answer)]).toEqual([hex, [['public_key', 'unsafe_key']]]);
    }
  });

  it('refuse a wrong signature five times, and after that the right one too', async () => {
    const { prove, agentId } = await aPendingCredential();
    const otherKey = newKeyPair();
    const tries = [
      await prove({ signature: wrongSignature }),
      await prove({ challenge: 'svc-agent-credential-proof:v1:made-up' }),
      await prove({ signature: signChallenge(otherKey, 'whatever') }),
      await prove({ signature: Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64') }),
      await prove({ signature: wrongSignature }),
    ];
    expect(tries.map(refusal)).toEqual(tries.map(() => [422, 'signature_invalid']));
    expect(refusal(await prove())).toEqual([410, 'challenge_expired']);
    const { body } = await call(`${service.url}/v1/agents/${agentId}`, { headers: merchant.headers });
    expect(body.agent).toMatchObject({ version: 1, credentials: [expect.objectContaining({ status: 'pending' })] });
  });

  it('count simultaneous wrong attempts exactly', async () => {
    const { prove } = await aPendingCredential();
    const answers = await Promise.all(Array.from({ length: 30 }, () => prove({ signature: wrongSignature })));
    expect(statuses(answers)).toEqual([...Array(25).fill(410), ...Array(5).fill(422)]);
  });

  it('do not count something that is not a signature at all', async () => {
    const { prove } = await aPendingCredential();
    for (const signature of ['', 'AAAA', '!'.repeat(86), 7]) {
      expect(refusal(await prove({ signature }))).toEqual([400, 'validation_failed']);
    }
    expect(refusal(await prove({ challenge: undefined }))).toEqual([400, 'validation_failed']);
    for (let count = 0; count < 4; count += 1) await prove({ signature: wrongSignature });
    expect((await prove()).status).toBe(200);
  });

  it('refuse a challenge signed for another credential', async () => {
    const [one, other] = [await aPendingCredential(), await aPendingCredential()];
    const stolen = { challenge: other.challenge, signature: signChallenge(one.keyPair, other.challenge) };
    expect(refusal(await one.prove(stolen))).toEqual([422, 'signature_invalid']);
  });

  it('refuse an expired challenge', async () => {
    const { prove } = await aPendingCredential();
    time += 5 * MINUTE;
    expect(refusal(await prove())).toEqual([410, 'challenge_expired']);
    expect(refusal(await prove({ signature: wrongSignature }))).toEqual([410, 'challenge_expired']);
  });

  it(`take each challenge once: of ${AT_ONCE} proofs one succeeds`, async () => {
    const { prove } = await aPendingCredential();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => prove()));
    countFigure(
      'a challenge is answered once',
      answers.length,
      1,
      statuses(answers).filter((each) => each === 200).length,
    );
    expect(statuses(answers)).toEqual([200, ...Array(answers.length - 1).fill(410)]);
  }, 90_000);

  it('are revoked permanently', async () => {
    const { agentId, credentialId, prove } = await aPendingCredential();
    const { status, body } = await revokeCredential(service, merchant, agentId, credentialId);
    expect(status).toBe(200);
    expect(body.credential).toMatchObject({ status: 'revoked', revoked_at: expect.stringMatching(TIME) });
    expect((await revokeCredential(service, merchant, agentId, credentialId)).body).toEqual(body);
    expect(refusal(await prove())).toEqual([403, 'credential_revoked']);
  });

  it('are not added to a revoked agent', async () => {
    const { agentId, prove } = await aPendingCredential();
    await changeAgent(service, merchant, agentId, { status: 'revoked' });
    expect(refusal(await prove())).toEqual([409, 'invalid_status_transition']);
    const answer = await registerCredential(service, merchant, agentId, newKeyPair(), { clock, kid: 'key-2' });
    expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
  });

  it('of another merchant are answered exactly like ids that do not exist', async () => {
    const other = await signUpMerchant(service, { dns });
    const theirs = await aPendingCredential(newKeyPair(), other);
    const own = await aPendingCredential();
    const headers = { ...merchant.headers, 'x-request-id': 'same' };
    const calls = (agentId: string, credentialId: string): Promise<Answer[]> => {
      const url = `${service.url}/v1/agents/${agentId}/credentials`;
      const proof = { challenge: theirs.challenge, signature: signChallenge(theirs.keyPair, theirs.challenge) };
      return Promise.all([
        registerCredential(service, { headers }, agentId, newKeyPair(), { clock, kid: 'mine' }),
        call(`${url}/${credentialId}/activate`, { headers, body: proof }),
        call(`${url}/${credentialId}/revoke`, { headers, body: {} }),
      ]);
    };
    const found = await calls(theirs.agentId, theirs.credentialId);
    const missing = await calls('agt_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'crd_01JZZZZZZZZZZZZZZZZZZZZZZZ');
    expect(found.map(refusal)).toEqual(found.map(() => [404, 'resource_not_found']));
    expect(found.map(({ text }) => text)).toEqual(missing.map(({ text }) => text));
    const [, ...underOwnAgent] = await calls(own.agentId, theirs.credentialId);
    expect(underOwnAgent.map(refusal)).toEqual(underOwnAgent.map(() => [404, 'resource_not_found']));
    expect((await theirs.prove()).status).toBe(200);
  });

  it('leave no challenge and no signature in the log or the events', async () => {
    const { challenge, keyPair, prove } = await aPendingCredential();
    await prove();
    const events = await service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1_000_000);
    const stored = JSON.stringify(events.map(({ data, metadata }) => [data, metadata]));
    for (const secret of [challenge.split(':').at(-1) as string, signChallenge(keyPair, challenge)]) {
      expect(stored).not.toContain(secret);
      expect(service.log()).not.toContain(secret);
    }
  });
});
