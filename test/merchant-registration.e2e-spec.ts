import { rmSync } from 'node:fs';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { AfterAnswer } from '../src/http/server/after-answer';
import { MAILER, type Mailer } from '../src/platform/mail/mailer.port';
import { AccountIdentity } from '../src/capabilities/merchant-access/account-identity';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { signUpPendingMerchant } from './support/merchant';
import { mailNumber, mailsTo, outboxOf } from './support/outbox';
import { startTestService, type TestService } from './support/service';
import { startSmtpPeer } from './support/smtp-peer';

describe('merchant registrations', () => {
  let service: TestService;
  const running: TestService[] = [];

  const start = async (env: Record<string, string> = {}, now?: () => Date): Promise<TestService> => {
    const started = await startTestService({ env, ...(now ? { clock: { now } } : {}) });
    running.push(started);
    return started;
  };
  beforeAll(async () => {
    service = await startTestService();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((started) => started.stopAndForget()));
  });
  afterAll(() => service.stopAndForget());

  const register = (email: string, { url } = service): Promise<Answer> =>
    call(`${url}/v1/merchant-accounts/registrations`, { body: { email }, headers: { 'x-request-id': 'same' } });
  /** A whole response except the date. */
  const shown = ({ status, headers, text }: Answer): string => {
    const lines = [...headers].filter(([name]) => name !== 'date').map(([name, value]) => `${name}: ${value}`);
    return [status, ...lines, '', text].join('\n');
  };

  it('get the same bytes for known and unknown addresses', async () => {
    const { email } = await signUpPendingMerchant(service);
    const known = await Promise.all(Array.from({ length: 50 }, () => register(email)));
    const unknown = await Promise.all(Array.from({ length: 50 }, (_, index) => register(`new-${index}@example.test`)));
    expect(new Set([...known, ...unknown].map(shown)).size).toBe(1);
    expect(known[0]?.status).toBe(202);
  });

  it('send the same mail to known and unknown addresses', async () => {
    const { email } = await signUpPendingMerchant(service);
    await register(email);
    await register('unknown@example.test');
    const plain = ({ subject, text }: { subject: string; text: string }) => [subject, text.replace(/svc_el_\S+/, '')];
    const [known, unknown] = [
      await mailNumber(service, email, 2),
      await mailNumber(service, 'unknown@example.test', 1),
    ];
    expect(plain(known)).toEqual(plain(unknown));
  });

  it('are answered before anything is looked up, written or mailed', async () => {
    const stuck = await start();
    const store = stuck.app.get<EventStore>(EVENT_STORE);
    const mailer = stuck.app.get<Mailer>(MAILER);
    const never = () => new Promise<never>(() => undefined);
    // Blocks only what a registration touches: the service's own work must end when it stops.
    const isOurs = (stream: string): boolean => /^(merchant_account|email_link)-/.test(stream);
    const [readStream, append] = [store.readStream.bind(store), store.append.bind(store)];
    const read = jest.fn(never);
    jest
      .spyOn(store, 'readStream')
      .mockImplementation((stream, after) => (isOurs(stream) ? read() : readStream(stream, after)));
    jest
      .spyOn(store, 'append')
      .mockImplementation((stream, version, events) => (isOurs(stream) ? never() : append(stream, version, events)));
    const sent = jest.spyOn(mailer, 'send').mockImplementation(never);
    expect((await register('a@example.test', stuck)).status).toBe(202);
    expect((await register('a@example.test', stuck)).status).toBe(202);
    expect(sent).not.toHaveBeenCalled();
    expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('are answered alike if the mail cannot be sent, and the log does not name the address', async () => {
    const peer = await startSmtpPeer(['refused@example.test']);
    const mailing = await start({ MAIL_URL: `smtp://127.0.0.1:${peer.port}` });
    const [bad, good] = [await register('refused@example.test', mailing), await register('good@example.test', mailing)];
    expect(shown(bad)).toBe(shown(good));
    // A stopping service waits a second for its mails, and a busy machine may need longer.
    await eventually(
      async () => [peer.mails.length, mailing.log()] as const,
      ([mails, log]) => mails === 1 && log.includes('the mail was not accepted'),
      'one mail and one refusal',
    );
    running.splice(running.indexOf(mailing), 1);
    await mailing.stopAndForget();
    expect(peer.mails.map(({ to }) => to)).toEqual([['good@example.test']]);
    expect(mailing.log()).toContain('the mail was not accepted: EENVELOPE 550');
    expect(mailing.log()).not.toMatch(/refused@|svc_el_/);
    await peer.close();
  });

  it('send a mail to one spelling of the address, however it was typed', async () => {
    await register('Someone@Example.TEST');
    expect((await mailNumber(service, 'someone@example.test', 1)).to).toBe('someone@example.test');
    await register('  someone@example.test');
    await mailNumber(service, 'someone@example.test', 2);
    const events = await service.app.get<EventStore>(EVENT_STORE).readAll(0n, 100_000);
    const id = service.app.get(AccountIdentity).idOf('someone@example.test');
    expect(events.filter(({ stream }) => stream === `merchant_account-${id}`)).toHaveLength(1);
    expect(JSON.stringify(events.map(({ stream, data }) => [stream, data]))).not.toContain('someone');
  });

  it('stop sending mail to an address that has reached its limit, and answer as before', async () => {
    let now = Date.parse('2030-01-01T00:00:00.000Z');
    const limited = await start({ RATE_LIMITS: 'on' }, () => new Date(now));
    const answers: Answer[] = [];
    for (let times = 0; times < 8; times += 1) answers.push(await register('a@example.test', limited));
    // Mails are sent after the responses, in any order. A later one to another address shows that no more will come.
    await mailNumber(limited, 'a@example.test', 5);
    await register('b@example.test', limited);
    await mailNumber(limited, 'b@example.test', 1);
    await limited.app.get(AfterAnswer).settle();
    expect(mailsTo(limited, 'a@example.test')).toHaveLength(5);
    const body = ({ status, text }: Answer): string => `${status} ${text}`;
    expect(new Set(answers.map(body)).size).toBe(1);

    now += 15 * 60_000;
    await register('a@example.test', limited);
    await mailNumber(limited, 'a@example.test', 6);
  });

  it('do not count mails that could not be sent towards the limit of an address', async () => {
    const limited = await start({ RATE_LIMITS: 'on' });
    const refusing = jest.spyOn(limited.app.get<Mailer>(MAILER), 'send');
    refusing.mockRejectedValue(new Error('the mail was not accepted: EENVELOPE 450'));
    for (let times = 1; times <= 5; times += 1) {
      await register('a@example.test', limited);
      await eventually(
        async () => refusing.mock.calls.length,
        (calls) => calls === times,
        `attempt ${times}`,
      );
    }
    refusing.mockRestore();
    await register('a@example.test', limited);
    expect((await mailNumber(limited, 'a@example.test', 1)).to).toBe('a@example.test');
  });

  it('are limited by caller address, for known and unknown addresses alike', async () => {
    const limited = await start({ RATE_LIMITS: 'on' });
    for (let times = 0; times < 30; times += 1) {
      expect((await register(`a${times}@example.test`, limited)).status).toBe(202);
    }
    const refused = [await register('a1@example.test', limited), await register('new@example.test', limited)];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual([
      [429, 'rate_limited'],
      [429, 'rate_limited'],
    ]);
    expect(refused[0]?.text).toBe(refused[1]?.text);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    // Other calls from that address still work.
    expect((await call(`${limited.url}/v1/wallet-devices`, { body: { name: 'Phone' } })).status).toBe(201);
  });

  it('that were answered are mailed before the service stops, however slow the mail server is', async () => {
    const busy = await start();
    const mailer = busy.app.get<Mailer>(MAILER);
    const afterAnswer = busy.app.get(AfterAnswer);
    const [send, settle] = [mailer.send.bind(mailer), afterAnswer.settle.bind(afterAnswer)];
    let lastCall: () => void = () => undefined;
    const stopping = new Promise<void>((resolve) => (lastCall = resolve));
    jest.spyOn(mailer, 'send').mockImplementation((mail) => stopping.then(() => send(mail)));
    jest.spyOn(afterAnswer, 'settle').mockImplementation(() => {
      lastCall();
      return settle();
    });

    const addresses = Array.from({ length: 30 }, (_, index) => `last-${index}@example.test`);
    const answers = await Promise.all(addresses.map((address) => register(address, busy)));
    expect(answers.map(({ status }) => status)).toEqual(addresses.map(() => 202));
    running.splice(running.indexOf(busy), 1);
    await busy.stop();
    expect(
      outboxOf(busy)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([...addresses].sort());
    rmSync(busy.dataDir, { recursive: true, force: true });
  });
});
