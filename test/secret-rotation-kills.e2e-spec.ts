import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../src/platform/config';
import { openEventStoreReadOnly } from '../src/platform/event-store/open-event-store';
import { LOG_START, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { networkNames } from '../src/networks';
import { type LivingKey } from '../src/platform/read-model/personal-key-store.port';
import { openPersonalKeyStore } from '../src/platform/read-model/read-model.module';
import { hasNextSecretFile } from '../src/platform/secrets/secret-file';
import { PersonalData } from '../src/platform/secrets/personal-data';
import { learnFrom, newestIn, readSecretHistory } from '../src/platform/secrets/secret-history';
import { secretOf, ServiceSecret } from '../src/platform/secrets/service-secret';
import { eventually } from './support/eventually';
import { figure, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { rotateUntil } from './support/killed-rotation';
import { signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { eventsOfType } from './support/payments';
import { secretHere } from './support/secret-command';

type Settings = Readonly<Record<string, string>>;
type Sealed = Readonly<{ account_id: string; key_id: string; email_sealed: string }>;

const MORE_THAN_THERE_ARE = 500;
/** Which file operations to interrupt: each in a full-size run, otherwise every seventh, with a random offset. */
const STRIDE = sizeFrom('CHAOS_STRIDE', 7);
const SEED = seedOfRun();
const secretNumber = (number: number): string => `only-for-tests-${String(number).padStart(40, '0')}`;
const EMAILS = ['one@example.test', 'two@example.test'];

/** Where the secrets are, and which of them the operator has at hand: those in the data directory, or those given to the service. */
type Way = Readonly<{
  begin: Settings;
  rotate: (round: number) => Settings;
  atHand: (round: number, dataDir: string) => readonly string[];
}>;

const generated: Way = {
  begin: {},
  rotate: () => ({}),
  atHand: (_, dataDir) =>
    ['service-secret', 'service-secret.next']
      .map((name) => join(dataDir, name))
      .flatMap((file) => (existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [])),
};
const given: Way = {
  begin: { SERVICE_SECRET: secretNumber(1) },
  rotate: (round) => ({ SERVICE_SECRET: secretNumber(round), NEW_SERVICE_SECRET: secretNumber(round + 1) }),
  atHand: (round) => [secretNumber(round), secretNumber(round + 1)],
};

describeOnEachPair('a rotation of the service secret that is killed', (start, pair) => {
  const way = pair === 'embedded' ? generated : given;
  const stride = pair === 'embedded' ? STRIDE : 1;
  const stepOf = (round: number): number => 1 + (SEED % stride) + (round - 1) * stride;

  it(
    `at any step is either not begun or done, and is completed by the same command (seed ${SEED})`,
    async () => {
      const service = await start({ env: way.begin });
      for (const email of EMAILS) await signUpPendingMerchant(service, { email });
      const isThere = (events: readonly RecordedEvent[]): boolean => events.length > 0;
      await eventually(() => eventsOfType(service, 'SigningKeyPublished'), isThere, 'the audit key');
      await service.stop();
      const { SERVICE_SECRET: _, ...stores } = service.settings as Record<string, string>;
      let killed = 0;
      for (let round = 1; ; round += 1) {
        if (round > MORE_THAN_THERE_ARE) throw new Error('it never came to its end');
        const settings = { ...stores, ...way.rotate(round) };
        const look = (): Promise<Found> => find(settings, way.atHand(round, service.dataDir));
        const code = await rotateUntil({ DIE_AT: String(stepOf(round)) }, settings);
        if (code === null) {
          killed += 1;
          const { number } = await look();
          expect([round, round + 1]).toContain(number);
          // Already done: for a generated secret, running the command again would be another rotation.
          const isDone = number > round && way === generated && !hasNextSecretFile(service.dataDir);
          if (!isDone) expect(await secretHere(settings, ['rotate'])).toMatchObject({ code: 0, notes: '' });
        }
        expect(await look()).toEqual({
          number: round + 1,
          wrappedUnder: [round + 1, round + 1],
          published: round + 1,
          endorsed: round,
        });
        expect(putAside(service.dataDir)).toEqual([]);
        if (code === 0) break;
      }
      figure({ promise: 'a killed rotation is finished', tried: killed, lost: 0, doubled: 0 });
      expect(killed).toBeGreaterThan(4);
      rmSync(service.dataDir, { recursive: true, force: true });
    },
    timeLimit(300_000),
  );
});

type Found = Readonly<{ number: number; wrappedUnder: readonly number[]; published: number; endorsed: number }>;

/** What a start would find now: the operator's secret is the log's, and unseals every person's address. */
async function find(settings: Settings, atHand: readonly string[]): Promise<Found> {
  const config = readConfig(settings, networkNames);
  const [store, keyStore] = [await openEventStoreReadOnly(config), await openPersonalKeyStore(config)];
  try {
    const history = await readSecretHistory(store);
    const secrets = atHand.map((one) => ServiceSecret.pendingHistory(one));
    const secret = secrets.find(({ fingerprint }) => fingerprint === newestIn(history));
    if (secret === undefined) throw new Error('nobody has the secret of the log');
    learnFrom(history, secret);
    const events = await store.readAll(LOG_START, 10_000);
    const howMany = (type: string): number => events.filter((event) => event.type === type).length;
    const wrappedUnder: number[] = [];
    const addresses: unknown[] = [];
    for (const { data } of events.filter(({ type }) => type === 'MerchantAccountAddressSealed')) {
      const { account_id, key_id, email_sealed } = data as Sealed;
      addresses.push(await new PersonalData(secret, keyStore).unseal(account_id, key_id, email_sealed));
      wrappedUnder.push(secretOf(((await keyStore.find(account_id)) as LivingKey).wrapped));
    }
    expect(addresses.sort()).toEqual([...EMAILS].sort());
    const [published, endorsed] = [howMany('SigningKeyPublished'), howMany('SigningKeyEndorsed')];
    return { number: secret.number, wrappedUnder, published, endorsed };
  } finally {
    await keyStore.close();
    await store.close();
  }
}

/** Files next to those that hold the secret and the personal keys. */
function putAside(dataDir: string): readonly string[] {
  const keys = join(dataDir, 'personal-keys');
  return [
    ...readdirSync(dataDir).filter((name) => /^service-secret./.test(name)),
    ...(existsSync(keys) ? readdirSync(keys) : []).filter((name) => /^mac_.*\.json./.test(name)),
  ];
}
