import { type ExecutionContext } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { type SvcRequest } from '../http/server/request-context';
import { type Category } from '../kernel/aggregates';
import { newId } from '../kernel/ids';
import { type CommandRunner } from '../platform/event-store/run-command';
import { newTokenFor } from '../platform/secrets/bound-tokens';
import { hashToken } from '../platform/secrets/tokens';
import { AgentTokenGuard } from './agent-token.guard';
import { API_KEY_HEADER, ApiKeyGuard } from './api-key.guard';

const now = new Date('2030-01-01T00:00:00.000Z');
const clock = { now: () => now };
/** With this in the log. */
const logOf = (states: Partial<Record<Category, unknown>>) =>
  ({ fold: async ({ category }: { category: Category }) => ({ state: states[category] }) }) as unknown as CommandRunner;
const bus = { execute: async () => undefined } as unknown as CommandBus;

const callOf = (headers: Readonly<Record<string, string>>) => {
  const request = { headers } as unknown as SvcRequest;
  const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  return { request, execution };
};

// No route leads to these logs. A damaged or restored one must not open what its credential never could.
describe('a genuine credential is refused', () => {
  const key = newTokenFor('apiKey', newId('key'));
  const apiKey = { merchantId: newId('mer'), tokenHash: hashToken(key), usedAt: null };

  it.each([
    ['merchant_not_active', false],
    [undefined, true],
  ])('with %s, if its merchant is active: %s', async (code, merchant) => {
    const { request, execution } = callOf({ [API_KEY_HEADER]: key });
    const admitted = new ApiKeyGuard(logOf({ api_key: apiKey, merchant }), bus, clock).canActivate(execution);
    if (code !== undefined) await expect(admitted).rejects.toMatchObject({ code });
    else expect(await admitted).toBe(true);
    expect(request.caller?.apiKey?.merchantId).toBe(code === undefined ? apiKey.merchantId : undefined);
  });

  it.each([
    ['no key', {}, 'unauthenticated'],
    ['an empty one', { [API_KEY_HEADER]: '' }, 'invalid_token'],
    ['another one', { [API_KEY_HEADER]: newTokenFor('apiKey', newId('key')) }, 'invalid_token'],
  ])('and so is a call with %s', async (_, headers: Record<string, string>, code) => {
    const { request, execution } = callOf(headers);
    const guard = new ApiKeyGuard(logOf({ api_key: apiKey, merchant: true }), bus, clock);
    await expect(guard.canActivate(execution)).rejects.toMatchObject({
      code,
      headers: { 'WWW-Authenticate': expect.stringContaining(API_KEY_HEADER) as string },
    });
    expect(request.caller).toBeUndefined();
  });

  const token = newTokenFor('agent', newId('ast'));
  const assertion = {
    agent_id: newId('agt'),
    merchant_id: newId('mer'),
    credential_id: 'crd_1',
    token_hash: hashToken(token),
    token_expires_at: '2030-01-01T00:10:00.000Z',
  };
  const activated = { activatedAt: 0, revokedAt: null };
  const agentWith = (...credentials: readonly (readonly [string, object])[]) => ({
    status: 'active',
    name: 'Agent',
    allowedScopes: [],
    credentials: new Map(credentials),
  });

  it.each([
    ['never activated', agentWith(['crd_1', { ...activated, activatedAt: null }]), 'credential_revoked'],
    ['another agent’s', agentWith(['crd_2', activated]), 'credential_revoked'],
    ['activated', agentWith(['crd_1', activated]), undefined],
  ])('if the agent’s credential it came from is %s', async (_, agent, code) => {
    const { request, execution } = callOf({ authorization: `Bearer ${token}` });
    const admitted = new AgentTokenGuard(logOf({ assertion, agent }), clock).canActivate(execution);
    if (code !== undefined) await expect(admitted).rejects.toMatchObject({ code });
    else expect(await admitted).toBe(true);
    expect(request.caller?.agent?.agentId).toBe(code === undefined ? assertion.agent_id : undefined);
  });
});
