import { type Answer, call } from './support/http';
import { grantFor, linkTokenFor, signIn, signUpPendingMerchant } from './support/merchant';
import { mailNumber } from './support/outbox';
import { describeOnEachPair } from './support/pairs';
import { useService } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describeOnEachPair('signing up and signing in as a merchant', (start) => {
  const service = useService({ start });
  let people = 0;

  const post = (path: string, body: object, headers = {}): Promise<Answer> =>
    call(`${service.url}/v1/${path}`, { body, headers });
  const anAddress = (): string => `someone-${(people += 1)}@example.test`;
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error.code];
  const issue = ({ status, body }: Answer): [number, string, string] => [
    status,
    body.error.issues?.[0].field,
    body.error.issues?.[0].code,
  ];

  it('leads from an email address to a session of a new, pending organization', async () => {
    const email = anAddress();
    const registration = await post('merchant-accounts/registrations', { email: ` ${email.toUpperCase()} ` });
    expect(registration.status).toBe(202);
    expect(registration.body).toEqual({ ok: true, registration: { status: 'accepted', link_expires_in: 900 } });

    const mail = await mailNumber(service, email, 1);
    expect(mail.link).toMatch(/^http:\/\/svc\.test\/portal\/#\/verify\?token=svc_el_[\w-]{64}$/);
    expect(mail.text).toContain(mail.link);

    const token = mail.link.split('token=')[1];
    const verification = await post('merchant-accounts/email-verifications', { token });
    expect(verification.status).toBe(200);
    expect(verification.body).toEqual({
      ok: true,
      merchants: [],
      session_grant: expect.stringMatching(/^svc_sg_[\w-]{64}$/),
      session_grant_expires_at: expect.stringMatching(TIME),
    });

    const created = await post('merchants', { grant: verification.body.session_grant, name: ' Example Shop ' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ok: true,
      merchant: {
        merchant_id: expect.stringMatching(/^mer_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: 'Example Shop',
        status: 'pending',
        version: 1,
        created_at: expect.stringMatching(TIME),
      },
      next_grant: expect.stringMatching(/^svc_sg_[\w-]{64}$/),
      next_grant_expires_at: expect.stringMatching(TIME),
    });

    const opened = await post('merchant-sessions', { grant: created.body.next_grant });
    expect(opened.status).toBe(201);
    expect(opened.body).toEqual({
      ok: true,
      session: { expires_at: expect.stringMatching(TIME) },
      merchant: created.body.merchant,
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

    const current = await call(`${service.url}/v1/merchant-sessions/current`, { headers: { cookie } });
    expect(current.status).toBe(200);
    expect(current.body).toEqual(opened.body);
    const merchant = await call(`${service.url}/v1/merchants/current`, { headers: { cookie } });
    expect(merchant.body).toEqual({ ok: true, merchant: created.body.merchant });
  });

  it('offers a returning operator their merchants, newest first, with handles that belong to one grant', async () => {
    const email = anAddress();
    await signUpPendingMerchant(service, { email, name: 'First' });
    await signUpPendingMerchant(service, { email, name: 'Second' });
    const [one, other] = [await grantFor(service, email), await grantFor(service, email)];
    expect(one.merchants.map(({ name, status }) => [name, status])).toEqual([
      ['Second', 'pending'],
      ['First', 'pending'],
    ]);
    expect(other.merchants.map((offered) => offered.merchant_id)).toEqual(
      one.merchants.map((offered) => offered.merchant_id),
    );
    const handles = [...one.merchants, ...other.merchants].map(({ choice }) => choice);
    expect(new Set(handles).size).toBe(4);

    const second = await signIn(service, email, { grant: one.grant, choice: one.merchants[1]?.choice });
    expect(second.merchantId).toBe(one.merchants[1]?.merchant_id);
  });

  it('picks the only merchant without a choice', async () => {
    const { email, merchantId } = await signUpPendingMerchant(service, { email: anAddress() });
    const { grant } = await grantFor(service, email);
    expect((await signIn(service, email, { grant })).merchantId).toBe(merchantId);
  });

  it('asks for a choice if there are several, and spends nothing until the choice is valid', async () => {
    const email = anAddress();
    await signUpPendingMerchant(service, { email });
    await signUpPendingMerchant(service, { email });
    const stranger = await signUpPendingMerchant(service, { email: anAddress() });
    const { grant, merchants } = await grantFor(service, email);
    const old = await grantFor(service, email);

    expect(issue(await post('merchant-sessions', { grant }))).toEqual([400, 'choice', 'required']);
    for (const choice of [merchants[0]?.merchant_id, old.merchants[0]?.choice, stranger.merchantId, 'x']) {
      expect(issue(await post('merchant-sessions', { grant, choice }))).toEqual([400, 'choice', 'not_allowed']);
    }
    expect((await post('merchant-sessions', { grant, choice: merchants[0]?.choice })).status).toBe(201);
  });

  it('asks for an organization first if there is none, without spending the grant', async () => {
    const { grant } = await grantFor(service, anAddress());
    const refused = await post('merchant-sessions', { grant });
    expect(issue(refused)).toEqual([400, 'grant', 'organization_required']);
    expect(refused.body.error.message).toContain('POST /v1/merchants');
    expect((await post('merchants', { grant, name: 'Shop' })).status).toBe(201);
  });

  it('binds the next grant to the new merchant: it opens and creates no other', async () => {
    const email = anAddress();
    await signUpPendingMerchant(service, { email });
    const { grant, merchants } = await grantFor(service, email);
    const { body } = await post('merchants', { grant, name: 'Another' });
    const next = body.next_grant as string;
    expect(refusal(await post('merchants', { grant: next, name: 'Third' }))).toEqual([401, 'invalid_grant']);
    const choice = merchants[0]?.choice;
    expect(issue(await post('merchant-sessions', { grant: next, choice }))).toEqual([400, 'choice', 'not_allowed']);
    expect((await signIn(service, email, { grant: next })).merchantId).toBe(body.merchant.merchant_id);
  });

  it('answers every invalid link and grant with the same bytes', async () => {
    const email = anAddress();
    const spentLink = await linkTokenFor(service, email);
    const { body } = await post('merchant-accounts/email-verifications', { token: spentLink });
    const spentGrant = body.session_grant as string;
    expect((await post('merchants', { grant: spentGrant, name: 'Shop' })).status).toBe(201);
    const freshLink = await linkTokenFor(service, email);
    const wrongSecret = (token: string): string => token.slice(0, -20) + 'A'.repeat(20);
    const unknown = (prefix: string): string => prefix + 'A'.repeat(64);

    const asked = (path: string, input: object): Promise<Answer> => post(path, input, { 'x-request-id': 'same' });
    const links = [spentLink, wrongSecret(freshLink), unknown('svc_el_'), spentGrant, 'svc_el_', '', 'nonsense', '💥'];
    const grants = [spentGrant, wrongSecret(spentGrant), unknown('svc_sg_'), freshLink, 'svc_sg_x', '', 'nonsense'];
    const answers = [
      ...links.map((token) => asked('merchant-accounts/email-verifications', { token })),
      ...grants.map((grant) => asked('merchants', { grant, name: 'Shop' })),
      ...grants.map((grant) => asked('merchant-sessions', { grant })),
    ];
    const seen = new Set((await Promise.all(answers)).map(({ status, text }) => `${status} ${text}`));
    expect([...seen]).toEqual([expect.stringMatching(/^401 .*"code":"invalid_grant"/)]);
    expect((await post('merchant-accounts/email-verifications', { token: freshLink })).status).toBe(200);
  });

  it.each([
    ['merchant-accounts/registrations', {}, ['email']],
    ['merchant-accounts/registrations', { email: 'nobody' }, ['email']],
    ['merchant-accounts/registrations', { email: 5 }, ['email']],
    ['merchant-accounts/email-verifications', {}, ['token']],
    ['merchants', {}, ['grant', 'name']],
    ['merchants', { grant: 'x', name: ' ' }, ['name']],
    ['merchants', { grant: 'x', name: 'n'.repeat(121), merchant_id: 'mer_1' }, ['merchant_id', 'name']],
    ['merchant-sessions', { delivery: 'pigeon', choice: 7 }, ['choice', 'delivery', 'grant']],
  ])('lists every problem of %s %j', async (path, body, fields) => {
    const answer = await post(path, body);
    expect(refusal(answer)).toEqual([400, 'validation_failed']);
    const issues = answer.body.error.issues as { field: string }[];
    expect(issues.map(({ field }) => field).sort()).toEqual(fields);
  });

  it('keeps two organizations of one account, and two accounts, apart', async () => {
    const [mine, theirs] = [await signUpPendingMerchant(service), await signUpPendingMerchant(service)];
    const { merchants } = await grantFor(service, mine.email);
    expect(merchants.map(({ merchant_id }) => merchant_id)).toEqual([mine.merchantId]);
    const current = await call(`${service.url}/v1/merchants/current`, { headers: { cookie: theirs.cookie } });
    expect(current.body.merchant.merchant_id).toBe(theirs.merchantId);
  });
});
