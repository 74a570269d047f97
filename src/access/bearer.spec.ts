import { type SvcRequest } from '../http/server/request-context';
import { bearerOf, comesAsBearer, requiredBearer } from './bearer';

const sent = (authorization?: string): SvcRequest => ({ headers: { authorization } }) as unknown as SvcRequest;

// What is read as a token decides for whom a call counts: nothing before or after it may be overlooked.
describe('the bearer token of a call', () => {
  it.each([
    ['Bearer svc_ct_1', 'svc_ct_1'],
    ['bearer \t svc_ct_1', 'svc_ct_1'],
    ['Bearer svc_ct_1 svc_ct_2', undefined],
    ['Bearer svc_ct_1, Bearer svc_ct_2', undefined],
    ['Device dev_1:svc_dt_1, Bearer svc_ct_1', undefined],
    ['XBearer svc_ct_1', undefined],
    ['Bearersvc_ct_1', undefined],
    ['Bearer', undefined],
    [undefined, undefined],
  ])('of %j is %j', (authorization, token) => expect(bearerOf(sent(authorization))).toBe(token));

  it.each([
    ['Bearer', 'invalid_token'],
    ['BEARER\tsvc_ct_1 svc_ct_2', 'invalid_token'],
    ['Bearersvc_ct_1', 'unauthenticated'],
    ['Device dev_1:svc_dt_1, Bearer svc_ct_1', 'unauthenticated'],
    ['Basic bearer', 'unauthenticated'],
    [undefined, 'unauthenticated'],
  ])('is not in %j, which is refused with %s', (authorization, code) => {
    expect(comesAsBearer(sent(authorization))).toBe(code === 'invalid_token');
    expect(() => requiredBearer(sent(authorization))).toThrow(expect.objectContaining({ code }) as Error);
  });
});
