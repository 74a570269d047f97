import { optIn, proposePolicy, setAgentPaymentScene, type AgentPaymentScene } from './support/agent-payments';
import { newKeyPair } from './support/agent-client';
import { addCredential, createActiveAgent, revokeCredential } from './support/agents';
import { bearing, connectAgent, mustBe, startPairing } from './support/connections';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { grantFor, signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('when a credential is revoked or used up', (start) => {
  const { service, dns } = useServiceWithDns({ start });
  let scene: AgentPaymentScene;
  beforeAll(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });

  it('a pairing session it started ends, also for the person who types the code', async () => {
    const agent = await createActiveAgent(service, scene.merchant, { kid: 'a' });
    await addCredential(service, scene.merchant, agent.agentId, newKeyPair(), { kid: 'b' });
    const { code, sessionId } = await startPairing(service, agent);
    const device = await registerDevice(service);
    mustBe(200, await revokeCredential(service, scene.merchant, agent.agentId, agent.credentialId));
    const byId = await call(`${service.url}/v1/pairing/sessions/${sessionId}?code=${code}`, {
      headers: device.headers,
    });
    const byCode = await call(`${service.url}/v1/pairing/sessions?code=${code}`, { headers: device.headers });
    expect([byId.status, byCode.status]).toEqual([403, 404]);
  });

  it('a policy that nobody has opted in to yet ends', async () => {
    const agent = await createActiveAgent(service, scene.merchant, { kid: 'c' });
    const device = await registerDevice(service);
    const connection = await connectAgent(service, agent, device);
    const other = { ...scene, agent, device, connection };
    const { body } = mustBe(201, await proposePolicy(service, other));
    mustBe(200, await revokeCredential(service, scene.merchant, agent.agentId, agent.credentialId));
    const answer = await optIn(service, other, body.data.id as string);
    expect([answer.status, answer.body.error?.code, answer.body.data?.status]).toEqual([
      403,
      'credential_revoked',
      undefined,
    ]);
  });

  it('a grant that is sent many times at once opens one session', async () => {
    const { email } = await signUpPendingMerchant(service);
    const { grant } = await grantFor(service, email);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        call(`${service.url}/v1/merchant-sessions`, { body: { grant, delivery: 'bearer' } }),
      ),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    const headers = bearing(won[0]?.body.session_token as string);
    const { body } = await call(`${service.url}/v1/merchant-sessions`, { headers });
    // The session of the sign-up, and the one that this grant opened.
    expect(body.sessions).toHaveLength(2);
  });
});
