import { type Answer, call } from './support/http';
import { grantFor, signUpMerchant, signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('a merchant', (start) => {
  const { service, dns } = useServiceWithDns({ start });

  const current = (): string => `${service.url}/v1/merchants/current`;
  const rename = (headers: Record<string, string>, body: object): Promise<Answer> =>
    call(current(), { method: 'PATCH', headers, body });
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

  it('is renamed at the version its operator read, and is offered under its new name', async () => {
    const { headers, email } = await signUpMerchant(service, { dns, name: 'Old Name' });
    const { merchant } = (await call(current(), { headers })).body;
    const answer = await rename(headers, { version: merchant.version, name: 'New Name' });
    expect(answer.status).toBe(200);
    const expected = { ...merchant, name: 'New Name', version: merchant.version + 1 };
    expect(answer.body).toEqual({ ok: true, merchant: expected });
    expect((await call(current(), { headers })).body.merchant).toEqual(expected);
    expect((await grantFor(service, email)).merchants).toMatchObject([{ name: 'New Name' }]);

    const late = await rename(headers, { version: merchant.version, name: 'Late Name' });
    expect(refusal(late)).toEqual([409, 'version_conflict']);
    expect(late.body.error.details).toEqual({ current_version: merchant.version + 1 });
  });

  it('is renamed once when many use the same version', async () => {
    const { headers } = await signUpMerchant(service, { dns });
    const { version } = (await call(current(), { headers })).body.merchant;
    const names = Array.from({ length: 10 }, (_, at) => `Name ${at}`);
    const answers = await Promise.all(names.map((name) => rename(headers, { version, name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  it('gets every problem of a new name reported, and needs its session’s CSRF token', async () => {
    const { headers, cookie } = await signUpMerchant(service, { dns });
    const { body } = await rename(headers, { merchant_id: 'mer_1', name: ' ' });
    expect(body.error.issues.map(({ code, field }: Record<string, string>) => [code, field])).toEqual([
      ['identity_not_accepted', 'merchant_id'],
      ['required', 'version'],
      ['too_short', 'name'],
    ]);
    expect(refusal(await rename({ cookie }, { version: 1, name: 'X' }))).toEqual([403, 'csrf_failed']);
  });

  it('is not renamed while it is pending', async () => {
    const { headers } = await signUpPendingMerchant(service);
    expect(refusal(await rename(headers, { version: 1, name: 'X' }))).toEqual([403, 'merchant_not_active']);
  });
});
