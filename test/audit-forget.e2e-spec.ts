import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projections } from '../projections';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { systemClock } from '../src/kernel/clock';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { Projector } from '../src/platform/projecting/projector';
import { PersonalData } from '../src/platform/secrets/personal-data';
import { audit, auditHere } from './support/audit-command';
import { call } from './support/http';
import { grantFor, linkTokenFor, signIn, signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { eventsOfType } from './support/payments';
import { startTestService } from './support/service';
import { temporaryDirectories } from './support/temp-directory';
import { useService } from './support/use-service';

const quiet = { info: () => undefined, warn: () => undefined };

describeOnEachPair('a person who is forgotten', (start) => {
  const service = useService({ start });

  const sealedOf = async (accountId: string): Promise<{ key_id: string; email_sealed: string }[]> =>
    (await eventsOfType(service, 'MerchantAccountAddressSealed'))
      .map(({ data }) => data as { account_id: string; key_id: string; email_sealed: string })
      .filter((data) => data.account_id === accountId);
  const signUp = async (email: string): Promise<string> => {
    const known = new Set((await eventsOfType(service, 'MerchantAccountAddressSealed')).map(({ stream }) => stream));
    await signUpPendingMerchant(service, { email });
    const events = await eventsOfType(service, 'MerchantAccountAddressSealed');
    const fresh = events.find(({ stream }) => !known.has(stream));
    return (fresh?.data as { account_id: string }).account_id;
  };
  const addressIn = async (accountId: string, which = 0): Promise<string | undefined> => {
    const event = (await sealedOf(accountId))[which];
    return service.app.get(PersonalData).unseal(accountId, event?.key_id ?? '', event?.email_sealed ?? '');
  };
  const openSession = (session: object) => call(`${service.url}/v1/merchant-sessions`, { body: session });
  const stateOf = async (accountId: string): Promise<string> =>
    (await auditHere(service.settings, ['state', '--json', accountId])).lines.join('');

  it('becomes unreadable at once, next to the running service, while everybody else stays readable', async () => {
    const [one, other] = [await signUp('one@example.test'), await signUp('other@example.test')];
    expect(await addressIn(one)).toBe('one@example.test');
    expect(await stateOf(one)).toContain('"address":"sealed"');
    const { code, lines } = await audit(service.settings, ['forget', '--yes', '-'], ' One@Example.test\n');
    expect([code, lines.join()]).toEqual([0, expect.stringContaining(one)]);
    expect(await addressIn(one)).toBeUndefined();
    expect(await addressIn(other)).toBe('other@example.test');
    expect(await stateOf(one)).toMatch(/"address":"erased at \d{4}-/);
  });

  it('leaves a log that can still be replayed from the beginning', async () => {
    const store = service.app.get<EventStore>(EVENT_STORE);
    const model = service.app.get<ReadModelStore>(READ_MODEL_STORE);
    const events = await new Projector(store, model, projections, systemClock, quiet).rebuild(() => undefined);
    expect(events).toBeGreaterThan(5);
    const shown = await auditHere(service.settings, ['streams', '--json', '--category', 'merchant_account']);
    expect(shown.lines).toHaveLength(2);
  });

  it('may come back under another key, and their earlier data stays forgotten', async () => {
    const accountId = await signUp('back@example.test');
    expect((await auditHere(service.settings, ['forget', '--yes', accountId])).code).toBe(0);
    await linkTokenFor(service, 'back@example.test');
    expect(await addressIn(accountId, 0)).toBeUndefined();
    expect(await addressIn(accountId, 1)).toBe('back@example.test');
    expect(await stateOf(accountId)).toContain('"address":"sealed"');
  });

  it('is signed out at once, and nothing that was handed out before works again, even when they return', async () => {
    const email = 'leaving@example.test';
    const { headers, merchantId } = await signUpPendingMerchant(service, { email });
    const { grant, merchants } = await grantFor(service, email);
    const { body } = await openSession({ grant, delivery: 'bearer' });
    const bearer = { authorization: `Bearer ${body.session_token}` };
    const link = await linkTokenFor(service, email);
    const other = await grantFor(service, email);
    const here = (by: Readonly<Record<string, string>>) => call(`${service.url}/v1/merchants/current`, { headers: by });
    const outcomes = async () => [
      (await here(headers)).status,
      (await here(bearer)).status,
      (await openSession({ grant: other.grant })).status,
      (await call(`${service.url}/v1/merchant-accounts/email-verifications`, { body: { token: link } })).status,
    ];
    expect([(await here(headers)).status, (await here(bearer)).status]).toEqual([200, 200]);
    const bystander = await signUpPendingMerchant(service, { email: 'staying@example.test' });

    expect((await audit(service.settings, ['forget', '--yes', '-'], `${email}\n`)).code).toBe(0);
    expect(await outcomes()).toEqual([401, 401, 401, 401]);
    expect((await here(headers)).body.error.code).toBe('invalid_token');
    expect((await here(bystander.headers)).status).toBe(200);

    const back = await grantFor(service, email);
    expect(back.merchants.map(({ merchant_id }) => merchant_id)).toEqual([merchantId]);
    expect(merchants).toHaveLength(1);
    expect(await outcomes()).toEqual([401, 401, 401, 401]);
    const again = await signIn(service, email, { grant: back.grant });
    expect((await here(again.headers)).status).toBe(200);
  });

  it('is not forgotten by mistake: the command requires --yes', async () => {
    const accountId = await signUp('kept@example.test');
    const { code, notes } = await audit(service.settings, ['forget', accountId], 'yes\n');
    expect([code, notes]).toEqual([2, expect.stringContaining('--yes')]);
    expect(await addressIn(accountId)).toBe('kept@example.test');
  });

  it('must exist', async () => {
    expect((await auditHere(service.settings, ['forget', '--yes', 'nobody@example.test'])).code).toBe(1);
    expect((await auditHere(service.settings, ['forget', '--yes', 'nobody'])).code).toBe(2);
  });
});

describe('a person to be forgotten on a machine without the service secret', () => {
  const directory = temporaryDirectories();
  let copy: string;
  let accountId: string;

  beforeAll(async () => {
    const service = await startTestService();
    await signUpPendingMerchant(service, { email: 'one@example.test' });
    const [sealed] = await eventsOfType(service, 'MerchantAccountAddressSealed');
    accountId = (sealed?.data as { account_id: string }).account_id;
    await service.stop();
    copy = directory();
    cpSync(service.dataDir, copy, { recursive: true });
    rmSync(join(copy, 'service-secret'));
    await service.stopAndForget();
  });

  it('is found by id but not by address, and no secret is generated', async () => {
    const byAddress = await auditHere({ DATA_DIR: copy }, ['forget', '--yes', 'one@example.test']);
    expect([byAddress.code, byAddress.notes]).toEqual([2, expect.stringContaining('service secret')]);
    expect((await auditHere({ DATA_DIR: copy }, ['forget', '--yes', accountId])).code).toBe(0);
    expect(existsSync(join(copy, 'service-secret'))).toBe(false);
  });

  it('leaves nothing behind in a folder that does not belong to the service', async () => {
    const nowhere = join(directory(), 'mistyped');
    expect((await auditHere({ DATA_DIR: nowhere }, ['forget', '--yes', 'one@example.test'])).code).toBe(3);
    expect(existsSync(nowhere)).toBe(false);
  });
});
