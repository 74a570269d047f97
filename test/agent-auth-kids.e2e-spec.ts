import { MAX_KEYS_TRIED } from '../src/capabilities/agent-auth/signers';
import { newKeyPair, signAssertion } from './support/agent-client';
import {
  type ActiveAgent,
  addCredential,
  BASE_URL,
  createActiveAgent,
  createAgent,
  exchangeAssertion,
  revokeCredential,
} from './support/agents';
import { type Answer } from './support/http';
import { type SignedUpMerchant, signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const KID = 'key-1';

describeOnEachPair('a kid shared by more agents than the service tries', (start) => {
  let first: ActiveAgent;
  let last: ActiveAgent;
  let merchant: SignedUpMerchant;

  const { service, dns } = useServiceWithDns({ start, env: { RATE_LIMITS: 'off' } });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns, name: 'First' });
    const squatter = await signUpMerchant(service, { dns, name: 'Squatter' });
    first = await createActiveAgent(service, merchant, { kid: KID });
    for (let count = 0; count < MAX_KEYS_TRIED; count += 1) await createActiveAgent(service, squatter, { kid: KID });
    last = await createActiveAgent(service, merchant, { kid: KID });
  });

  const signIn = ({ keyPair, agentId }: ActiveAgent, named: boolean): Promise<Answer> => {
    const parts = { kid: KID, audience: `${BASE_URL}/v1/agent-auth/token` };
    return exchangeAssertion(service, signAssertion(keyPair, named ? { ...parts, agentId } : parts));
  };

  it('does not keep a new agent from signing in', async () => {
    expect((await signIn(last, false)).status).toBe(200);
  });

  it('is reported as ambiguous to an agent that does not send its id', async () => {
    const { status, body } = await signIn(first, false);
    expect([status, body.error.code, body.error.details]).toEqual([
      401,
      'invalid_assertion',
      { reason: 'ambiguous_kid' },
    ]);
    expect(body.error.message).toContain('iss');
  });

  it('does not affect an agent that sends its id', async () => {
    expect((await signIn(first, true)).status).toBe(200);
  });

  it('still reports a revoked key as revoked to its holder', async () => {
    await revokeCredential(service, merchant, last.agentId, last.credentialId);
    const { status, body } = await signIn(last, false);
    expect([status, body.error.code]).toEqual([403, 'credential_revoked']);
  });
});

describeOnEachPair('a kid that only another tenant uses', (start) => {
  const { service, dns } = useServiceWithDns({ start });
  let prober: SignedUpMerchant;
  beforeAll(async () => {
    const victim = await signUpMerchant(service, { dns, name: 'Victim' });
    prober = await signUpMerchant(service, { dns, name: 'Prober' });
    const theirs = await createActiveAgent(service, victim, { kid: 'victim-prod-2026' });
    await revokeCredential(service, victim, theirs.agentId, theirs.credentialId);
  });

  /** Registers and revokes four of its own keys under the kid, then signs with an unregistered key. */
  async function probe(kid: string) {
    for (let count = 0; count < 4; count += 1) {
      const own = await createAgent(service, prober);
      const credentialId = await addCredential(service, prober, own, newKeyPair(), { kid });
      await revokeCredential(service, prober, own, credentialId);
    }
    const audience = `${BASE_URL}/v1/agent-auth/token`;
    const { status, body } = await exchangeAssertion(service, signAssertion(newKeyPair(), { kid, audience }));
    return [status, body.error.code, body.error.message, body.error.details];
  }

  it('is not revealed to be in use', async () => {
    expect(await probe('victim-prod-2026')).toEqual(await probe('nobodys-key'));
  });
});
