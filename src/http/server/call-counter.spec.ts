import { type Response } from 'express';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { refuse } from '../../kernel/errors';
import { type Config } from '../../platform/config';
import { type Metrics } from '../operations/metrics';
import { CallCounter } from './call-counter';
import { type RateLimiter } from './rate-limits';
import { type SvcRequest } from './request-context';

const agent = (id: string) => ({ actor: { kind: 'agent', id }, agent: { agentId: id, merchantId: 'mer_1' } });
const device = { actor: { kind: 'wallet_device', id: 'dev_1' } };

// Who is counted decides whom a limit stops: a guesser, or its neighbours.
describe('a call is counted', () => {
  let taken: string[];
  let allowed: boolean;
  let counter: CallCounter;
  const from = (caller?: object, bodyBytes?: number): SvcRequest =>
    ({ caller, bodyBytes, headers: {}, socket: { remoteAddress: '192.0.2.1' } }) as unknown as SvcRequest;
  const answer = (isCounted = false): Response =>
    ({ set: () => undefined, hasHeader: () => isCounted }) as unknown as Response;

  beforeEach(() => {
    taken = [];
    allowed = true;
    const take = (name: string, key: string, cost = 1) => {
      taken.push(`${name} ${key} ${cost}`);
      return { allowed, limit: 1, remaining: 0, resetSeconds: 60 };
    };
    const metrics = { rateLimited: { inc: () => undefined } } as unknown as Metrics;
    counter = new CallCounter({ enabled: true, take } as unknown as RateLimiter, metrics, {} as Config);
  });

  it('by its credential, or by its address if it has none', () => {
    expect(counter.count('credential', from(agent('agt_1')), answer())).toBeUndefined();
    allowed = false;
    expect(counter.count('anonymous', from(), answer())).toMatchObject({ code: 'rate_limited' });
    expect(taken).toEqual(['credential agt_1 1', 'anonymous 192.0.2.1 1']);
  });

  it('with its bytes by the merchant, whichever of its agents sends them, or by the wallet', () => {
    for (const caller of [agent('agt_1'), agent('agt_2'), device]) counter.countBytes(from(caller, 7));
    counter.countBytes(from(device, 0));
    counter.countBytes(from(undefined, 7));
    expect(taken).toEqual(['bytes mer_1 7', 'bytes mer_1 7', 'bytes dev_1 7']);
    allowed = false;
    expect(counter.countBytes(from(device, 7))).toMatchObject({ code: 'rate_limited' });
  });

  it.each<[ErrorCode, object | undefined, boolean, string[]]>([
    ['invalid_token', undefined, false, ['anonymous 192.0.2.1 1']],
    ['credential_revoked', undefined, false, ['anonymous 192.0.2.1 1']],
    ['insufficient_scope', device, false, ['credential dev_1 1']],
    ['validation_failed', device, false, ['credential dev_1 1']],
    ['invalid_token', undefined, true, []],
    ['resource_not_found', undefined, false, []],
    ['store_unavailable', device, false, []],
  ])('once if it was refused with %s: by %j, counted before: %s', (code, caller, isCounted, expected) => {
    const refusal = refuse(code);
    expect(counter.countRefused(refusal, from(caller), answer(isCounted))).toBe(refusal);
    expect(taken).toEqual(expected);
    allowed = false;
    const second = counter.countRefused(refusal, from(caller), answer(isCounted));
    expect(second.code).toBe(expected.length > 0 ? 'rate_limited' : code);
  });
});
