import { CommandBus } from '@nestjs/cqrs';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { systemClock } from '../src/kernel/clock';
import { Refusal } from '../src/kernel/errors';
import { VerifyEmail } from '../src/capabilities/merchant-access/access-links.handlers';
import { grant as grantDecider } from '../src/capabilities/merchant-access/grant';
import { CreateMerchant } from '../src/capabilities/merchant-access/organizations.handlers';
import { OpenMerchantSession } from '../src/capabilities/merchant-access/sessions.handlers';
import { subjectOf } from '../src/platform/secrets/bound-tokens';
import { AT_ONCE, countFigure } from './support/figures';
import { type Answer, call } from './support/http';
import { grantFor, linkTokenFor, signUpPendingMerchant } from './support/merchant';
import { useService } from './support/use-service';

const context = { requestId: 'race', actor: { kind: 'test', id: 'racer' } };

/** Exactly one of many simultaneous callers succeeds. */
describe('one-time credentials of merchants', () => {
  let commands: CommandBus;

  const service = useService({ env: { LOG_LEVEL: 'warn' } });
  beforeAll(async () => {
    commands = service.app.get(CommandBus);
  });

  const at = (path: string): string => `${service.url}/v1/${path}`;
  const eventsOf = (stream: string) => service.app.get<EventStore>(EVENT_STORE).readStream(stream);

  /** All calls start before the first has read anything. */
  const winnerOf = async <T>(promise: string, use: (index: number) => Promise<T>, count = AT_ONCE): Promise<T> => {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => use(index)));
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    countFigure(promise, count, 1, won.length);
    expect(won).toHaveLength(1);
    expect(new Set(lost.map((reason) => (reason instanceof Refusal ? reason.code : reason)))).toEqual(
      new Set(['invalid_grant']),
    );
    return won[0] as T;
  };

  it('a link yields one grant', async () => {
    const token = await linkTokenFor(service, 'link@example.test');
    const { token: grant } = await winnerOf('a link is used once', () =>
      commands.execute(new VerifyEmail(token, context)),
    );
    const stream = `email_link-${subjectOf('emailLink', 'lnk', token)}`;
    expect((await eventsOf(stream)).map(({ type }) => type)).toEqual(['EmailLinkIssued', 'EmailLinkSpent']);
    expect((await call(at('merchants'), { body: { grant, name: 'Shop' } })).status).toBe(201);
  });

  it('a grant creates one organization', async () => {
    const { grant } = await grantFor(service, 'organization@example.test');
    const winner = await winnerOf('a grant is spent once', (index) =>
      commands.execute(new CreateMerchant(grant, `Shop ${index % 3}`, context)),
    );
    const { merchants } = await grantFor(service, 'organization@example.test');
    expect(merchants.map(({ merchant_id }) => merchant_id)).toEqual([winner.merchantId]);
    expect((await call(at('merchant-sessions'), { body: { grant: winner.nextGrant.token } })).status).toBe(201);
  });

  it('a grant opens one session', async () => {
    const { email } = await signUpPendingMerchant(service);
    const { grant } = await grantFor(service, email);
    const wishes = { delivery: 'bearer' } as const;
    const { token } = await winnerOf('a grant is spent once', () =>
      commands.execute(new OpenMerchantSession(grant, wishes, context)),
    );
    const headers = { authorization: `Bearer ${token}` };
    expect((await call(at('merchants/current'), { headers })).status).toBe(200);
  });

  it('a grant is good for an organization or a session, never both', async () => {
    const { email } = await signUpPendingMerchant(service);
    const { grant } = await grantFor(service, email);
    const wishes = { delivery: 'cookie' } as const;
    await winnerOf('a grant is spent once', (index): Promise<object> =>
      index % 2 === 0
        ? commands.execute(new CreateMerchant(grant, 'Shop', context))
        : commands.execute(new OpenMerchantSession(grant, wishes, context)),
    );
    expect(await eventsOf(`grant-${subjectOf('grant', 'grt', grant)}`)).toHaveLength(2);
  });

  it('admit one caller over HTTP and refuse the others alike', async () => {
    const { email } = await signUpPendingMerchant(service);
    const token = await linkTokenFor(service, email);
    const crowd = (ask: (index: number) => Promise<Answer>): Promise<Answer[]> =>
      Promise.all(Array.from({ length: 100 }, (_, index) => ask(index)));
    const seen = (answers: readonly Answer[]): string[] =>
      answers.map(({ status, body }) => `${status} ${body.error?.code ?? ''}`).sort();

    const verified = await crowd(() => call(at('merchant-accounts/email-verifications'), { body: { token } }));
    expect(seen(verified)).toEqual(['200 ', ...Array<string>(99).fill('401 invalid_grant')]);
    const grant = verified.find(({ status }) => status === 200)?.body.session_grant as string;
    const spent = await crowd((index) =>
      index % 2 === 0
        ? call(at('merchants'), { body: { grant, name: 'Shop' } })
        : call(at('merchant-sessions'), { body: { grant } }),
    );
    expect(seen(spent)).toEqual(['201 ', ...Array<string>(99).fill('401 invalid_grant')]);
  });

  it('are protected by the store alone, even among processes that share nothing else', async () => {
    const { grant } = await grantFor(service, 'processes@example.test');
    const grantId = subjectOf('grant', 'grt', grant) ?? 'grt_none';
    const store = service.app.get<EventStore>(EVENT_STORE);
    const now = new Date().toISOString();
    const spendOn = (index: number) =>
      ({ kind: 'spend-on-session', grantId, merchantId: 'mer_1', sessionId: `ses_${index}`, at: now }) as const;
    await winnerOf(
      'a grant is spent once',
      (index) => {
        const processOfItsOwn = new CommandRunner(store, systemClock, () => Promise.resolve());
        return processOfItsOwn.run(grantDecider, grantId, spendOn(index), context);
      },
      100,
    );
    expect(await eventsOf(`grant-${grantId}`)).toHaveLength(2);
  });
});
