import { setImmediate as immediate } from 'node:timers/promises';
import { type ExecutionContext } from '@nestjs/common';
import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { AgentTokenGuard } from '../src/access/agent-token.guard';
import { type AgentCaller } from '../src/http/server/callers';
import { type SvcRequest } from '../src/http/server/request-context';
import { Refusal } from '../src/kernel/errors';
import { addCredential, changeAgent, createActiveAgent, revokeCredential, SCOPES } from './support/agents';
import { newKeyPair } from './support/agent-client';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { useServiceWithDns } from './support/use-service';

describe('the agent token', () => {
  let merchant: SignedUpMerchant;
  let time = Date.now();
  const clock = { now: () => new Date(time) };

  const { service, dns } = useServiceWithDns({ clock });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
  });

  /** The caller that the guard of agent routes admits, or the code of its refusal. */
  const admit = async (authorization?: string): Promise<AgentCaller | string | undefined> => {
    const request = { headers: { authorization } } as unknown as SvcRequest;
    const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    try {
      await service.app.get(AgentTokenGuard).canActivate(execution);
      return request.caller?.agent;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  };

  it('admits its agent, with the agent’s current data', async () => {
    const agent = await createActiveAgent(service, merchant, { clock, scopes: [SCOPES[0]] });
    const token = await agent.token();
    const { agentId, credentialId } = agent;
    const caller = { agentId, credentialId, merchantId: merchant.merchantId };
    expect(await admit(`Bearer ${token}`)).toEqual({
      ...caller,
      agentName: 'Checkout agent',
      allowedScopes: [SCOPES[0]],
    });
    await changeAgent(service, merchant, agentId, { name: 'Billing', allowed_scopes: [SCOPES[1]] });
    expect(await admit(`bearer ${token}`)).toEqual({ ...caller, agentName: 'Billing', allowedScopes: [SCOPES[1]] });
  });

  it('is refused if it is missing or wrong', async () => {
    const token = await (await createActiveAgent(service, merchant, { clock })).token();
    const altered = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect(await admit()).toBe('unauthenticated');
    expect(await admit('Device dev_1:token')).toBe('unauthenticated');
    const wrong = [
      'Bearer',
      'Bearer nonsense',
      `Bearer ${altered}`,
      `Bearer ${token}x`,
      `Bearer svc_at_${'A'.repeat(64)}`,
    ];
    for (const other of [...wrong, `Bearer ${token.replace('svc_at_', 'svc_ct_')}`]) {
      expect([other, await admit(other)]).toEqual([other, 'invalid_token']);
    }
  });

  it('expires after ten minutes', async () => {
    const token = await (await createActiveAgent(service, merchant, { clock })).token();
    time += 599_999;
    expect(await admit(`Bearer ${token}`)).toMatchObject({ merchantId: merchant.merchantId });
    time += 1;
    expect(await admit(`Bearer ${token}`)).toBe('token_expired');
  });

  it('ends with its credential, while another credential’s token still works', async () => {
    const { agentId, credentialId, token } = await createActiveAgent(service, merchant, { clock });
    const bought = await token();
    await addCredential(service, merchant, agentId, newKeyPair(), { clock, kid: 'key-2' });
    expect(await admit(`Bearer ${bought}`)).toMatchObject({ agentId });
    await revokeCredential(service, merchant, agentId, credentialId);
    expect(await admit(`Bearer ${bought}`)).toBe('credential_revoked');
  });

  it('is refused while its agent is suspended, and once it is revoked', async () => {
    const { agentId, token } = await createActiveAgent(service, merchant, { clock });
    const authorization = `Bearer ${await token()}`;
    const verdicts = [];
    for (const status of ['suspended', 'active', 'revoked']) {
      await changeAgent(service, merchant, agentId, { status });
      verdicts.push(await admit(authorization));
    }
    expect(verdicts).toEqual(['agent_not_active', expect.objectContaining({ agentId }), 'agent_not_active']);
  });

  it('never works after the answer that revoked its credential', async () => {
    const agents = await Promise.all(Array.from({ length: 5 }, () => createActiveAgent(service, merchant, { clock })));
    const late = await Promise.all(
      agents.map(async ({ agentId, credentialId, token }) => {
        const authorization = `Bearer ${await token()}`;
        let revoked = false;
        const revoking = revokeCredential(service, merchant, agentId, credentialId).then(() => (revoked = true));
        const admittedLate: unknown[] = [];
        for (let after = 0; after < 20;) {
          // The check itself may never yield to the event loop, but the revocation needs a turn of it.
          await immediate();
          const begunAfter = revoked;
          const verdict = await admit(authorization);
          if (!begunAfter) continue;
          after += 1;
          if (verdict !== 'credential_revoked') admittedLate.push(verdict);
        }
        await revoking;
        return admittedLate;
      }),
    );
    expect(late.flat()).toEqual([]);
  });

  it('never appears in the events', async () => {
    const token = await (await createActiveAgent(service, merchant, { clock })).token();
    const events = await service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1_000_000);
    const stored = JSON.stringify(events.map(({ data, metadata }) => [data, metadata]));
    expect(stored).toContain('token_hash');
    expect(stored).not.toContain(token.slice('svc_at_'.length));
  });
});
