import { type DnsResponder } from './dns-responder';
import { type Answer, call } from './http';
import { linksTo, mailNumber, tokenIn } from './outbox';
import { type TestService } from './service';

type Service = Pick<TestService, 'url' | 'dataDir'>;

export type Operator = Readonly<{
  email: string;
  /** `svc_session=…`, as a browser sends it. */
  cookie: string;
  csrf: string;
  merchantId: string;
  /** All headers that a call by this operator needs. */
  headers: Readonly<{ cookie: string; 'x-csrf-token': string }>;
}>;

export type SignedUpMerchant = Operator & Readonly<{ domain: string; domainId: string }>;

type Person = Readonly<{ email?: string; name?: string }>;

let people = 0;
const nextNumber = (): number => (people += 1);

/** Requests a link and takes its token from the mail. */
export async function linkTokenFor(service: Service, email: string): Promise<string> {
  const before = linksTo(service, email).length;
  const answer = await call(`${service.url}/v1/merchant-accounts/registrations`, { body: { email } });
  mustBe(202, answer);
  return tokenIn(await mailNumber(service, email, before + 1));
}

export type Choice = Readonly<{ choice: string; merchant_id: string; name: string; status: string }>;

/** From an address to a grant, with the merchants it may be used for. */
export async function grantFor(service: Service, email: string): Promise<{ grant: string; merchants: Choice[] }> {
  const token = await linkTokenFor(service, email);
  const { body } = mustBe(
    200,
    await call(`${service.url}/v1/merchant-accounts/email-verifications`, { body: { token } }),
  );
  return { grant: body.session_grant as string, merchants: body.merchants as Choice[] };
}

/** Spends a grant on a cookie session. */
export async function signIn(service: Service, email: string, session: object): Promise<Operator> {
  const answer = mustBe(201, await call(`${service.url}/v1/merchant-sessions`, { body: session }));
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const csrf = answer.body.csrf_token as string;
  const merchantId = answer.body.merchant.merchant_id as string;
  return { email, cookie, csrf, merchantId, headers: { cookie, 'x-csrf-token': csrf } };
}

/** A new organization with an open session and no domain yet. */
export async function signUpPendingMerchant(service: Service, person: Person = {}): Promise<Operator> {
  const number = nextNumber();
  const { email = `operator-${number}@example.test`, name = `Shop ${number}` } = person;
  const { grant } = await grantFor(service, email);
  const { body } = mustBe(201, await call(`${service.url}/v1/merchants`, { body: { grant, name } }));
  return signIn(service, email, { grant: body.next_grant as string });
}

/** Registers a domain, publishes the challenge in the given DNS, and has it verified. */
export async function verifyDomain(
  service: Service,
  { headers }: Operator,
  domain: string,
  dns: DnsResponder,
): Promise<string> {
  const domains = `${service.url}/v1/merchant-domains`;
  const { body } = mustBe(201, await call(domains, { headers, body: { domain, method: 'dns' } }));
  dns.set(body.challenge.record_name as string, { TXT: [body.challenge.record_value as string] });
  const domainId = body.domain.domain_id as string;
  mustBe(200, await call(`${domains}/${domainId}/verify`, { headers, body: {} }));
  return domainId;
}

/**
 * An active merchant and its operator's session, through all the steps that a person takes: mail, organization,
 * session, domain. Start the service with `DNS_SERVERS: dns.server` of the responder given here.
 */
export async function signUpMerchant(
  service: Service,
  {
    dns,
    domain = `shop-${nextNumber()}.example.test`,
    ...person
  }: Person & Readonly<{ dns: DnsResponder; domain?: string }>,
): Promise<SignedUpMerchant> {
  const operator = await signUpPendingMerchant(service, person);
  return { ...operator, domain, domainId: await verifyDomain(service, operator, domain, dns) };
}

/** A helper's step that fails reports it at once, with the response. */
function mustBe(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}
