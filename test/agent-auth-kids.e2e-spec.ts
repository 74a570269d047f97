import { MOST_TRIED } from '../src/capabilities/agent-auth/signers';
import { signAssertion } from './support/agent-client';
import { type ActiveAgent, BASE_URL, createActiveAgent, exchangeAssertion, revokeCredential } from './support/agents';
import { type Answer } from './support/http';
import { type SignedUpMerchant, signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const KID = 'key-1';

describeOnEachPair('a kid that more agents use than are tried', (start) => {
  let first: ActiveAgent;
  let last: ActiveAgent;
  let merchant: SignedUpMerchant;

  const { service, dns } = useServiceWithDns({ start, env: { RATE_LIMITS: 'off' } });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns, name: 'First' });
    const squatter = await signUpMerchant(service, { dns, name: 'Squatter' });
    first = await createActiveAgent(service, merchant, { kid: KID });
    for (let count = 0; count < MOST_TRIED; count += 1) await createActiveAgent(service, squatter, { kid: KID });
    last = await createActiveAgent(service, merchant, { kid: KID });
  });

  const signIn = ({ keyPair, agentId }: ActiveAgent, named: boolean): Promise<Answer> => {
    const parts = { kid: KID, audience: `${BASE_URL}/v1/agent-auth/token` };
    return exchangeAssertion(service, signAssertion(keyPair, named ? { ...parts, agentId } : parts));
  };

  it('keeps no newcomer out', async () => {
    expect((await signIn(last, false)).status).toBe(200);
  });

  it('is told to be ambiguous to who does not name its agent', async () => {
    const { status, body } = await signIn(first, false);
    expect([status, body.error.code, body.error.details]).toEqual([
      401,
      'invalid_assertion',
      { reason: 'ambiguous_kid' },
    ]);
    expect(body.error.message).toContain('iss');
  });

  it('is in nobody’s way who names its agent', async () => {
    expect((await signIn(first, true)).status).toBe(200);
  });

  it('still tells the holder of a revoked key that it was revoked', async () => {
    await revokeCredential(service, merchant, last.agentId, last.credentialId);
    const { status, body } = await signIn(last, false);
    expect([status, body.error.code]).toEqual([403, 'credential_revoked']);
  });
});
