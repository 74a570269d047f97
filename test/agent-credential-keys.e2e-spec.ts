import { credentialKey } from '../src/capabilities/agents/credential-key';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { derivedId } from '../src/kernel/ids';
import { newKeyPair, signChallenge } from './support/agent-client';
import {
  changeAgent,
  createActiveAgent,
  createAgent,
  proveCredential,
  registerCredential,
  registerPending,
  revokeCredential,
} from './support/agents';
import { type Answer } from './support/http';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { type AgentId, type CredentialId } from '../src/kernel/aggregates';
import { useServiceWithDns } from './support/use-service';

const MINUTE = 60_000;
const inUse = [409, 'credential_key_in_use'];
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('a public key that was registered before', (start) => {
  let merchant: SignedUpMerchant;
  let time = Date.now();
  const clock = { now: () => new Date(time) };

  const { service, dns } = useServiceWithDns({ start, clock });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
  });

  const aPendingCredential = (keyPair = newKeyPair(), by: SignedUpMerchant = merchant) =>
    registerPending(service, by, keyPair, clock);

  it('is not activated again while it is in use, by the same agent or by another merchant’s', async () => {
    const first = await aPendingCredential();
    await first.prove();
    const { body } = await registerCredential(service, merchant, first.agentId, first.keyPair, { clock, kid: 'key-2' });
    const challenge = body.proof_challenge as string;
    const proof = { challenge, signature: signChallenge(first.keyPair, challenge) };
    const credentialId = body.credential.credential_id as string;
    expect(refusal(await proveCredential(service, merchant, first.agentId, credentialId, proof))).toEqual(inUse);
    const other = await aPendingCredential(first.keyPair, await signUpMerchant(service, { dns }));
    expect(refusal(await other.prove())).toEqual(inUse);
    await revokeCredential(service, merchant, first.agentId, first.credentialId);
    expect((await other.prove()).status).toBe(200);
  });

  it('is free again once its agent is revoked', async () => {
    const first = await aPendingCredential();
    await first.prove();
    const second = await aPendingCredential(first.keyPair);
    expect(refusal(await second.prove())).toEqual(inUse);
    await changeAgent(service, merchant, first.agentId, { status: 'revoked' });
    expect((await second.prove()).status).toBe(200);
  });

  it('stays taken while its agent is suspended', async () => {
    const { agentId, keyPair } = await createActiveAgent(service, merchant, { clock });
    await changeAgent(service, merchant, agentId, { status: 'suspended' });
    expect(refusal(await (await aPendingCredential(keyPair)).prove())).toEqual(inUse);
  });

  it('is free again once its credential has expired', async () => {
    const agentId = await createAgent(service, merchant);
    const keyPair = newKeyPair();
    const expires_at = new Date(time + MINUTE).toISOString();
    const { body } = await registerCredential(service, merchant, agentId, keyPair, { clock, expires_at });
    const challenge = body.proof_challenge as string;
    const proof = { challenge, signature: signChallenge(keyPair, challenge) };
    await proveCredential(service, merchant, agentId, body.credential.credential_id as string, proof);
    const second = await aPendingCredential(keyPair);
    expect(refusal(await second.prove())).toEqual(inUse);
    time += MINUTE;
    expect((await second.prove()).status).toBe(200);
  });

  it('goes to whoever proves it first, not to whoever registered it first', async () => {
    const first = await aPendingCredential();
    const second = await aPendingCredential(first.keyPair);
    expect((await second.prove()).status).toBe(200);
    expect(refusal(await first.prove())).toEqual(inUse);
  });

  it('is activated only once by many simultaneous proofs', async () => {
    for (let round = 0; round < 3; round += 1) {
      const keyPair = newKeyPair();
      const rivals = await Promise.all(Array.from({ length: 6 }, () => aPendingCredential(keyPair)));
      const answers = await Promise.all(rivals.map(({ prove }) => prove()));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    }
  });

  describe('when an activation has claimed it but got no further', () => {
    /** The state after a process died between claiming the key and activating the credential. */
    const claimOnly = async ({ agentId, credentialId, keyPair }: Awaited<ReturnType<typeof aPendingCredential>>) => {
      const keyId = derivedId('cpk', keyPair.publicKey);
      const at = clock.now().toISOString();
      const of = { agentId: agentId as AgentId, credentialId: credentialId as CredentialId };
      const claim = { kind: 'claim', keyId, ...of, releasedCredentialId: null, at } as const;
      const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };
      await service.app.get(CommandRunner).run(credentialKey, keyId, claim, context);
    };

    it('can still be activated by the same credential', async () => {
      const first = await aPendingCredential();
      await claimOnly(first);
      expect((await first.prove()).status).toBe(200);
    });

    it('is not given to another credential until that activation can no longer complete', async () => {
      const first = await aPendingCredential();
      await claimOnly(first);
      expect(refusal(await (await aPendingCredential(first.keyPair)).prove())).toEqual(inUse);
      time += 9 * MINUTE;
      expect(refusal(await (await aPendingCredential(first.keyPair)).prove())).toEqual(inUse);
      time += MINUTE;
      expect(refusal(await first.prove())).toEqual([410, 'challenge_expired']);
      expect((await (await aPendingCredential(first.keyPair)).prove()).status).toBe(200);
    });
  });
});
