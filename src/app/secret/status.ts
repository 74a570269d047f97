import { scan } from '../../audit/cli/scan';
import { EXIT, type ExitCode } from '../../audit/cli/audit-call';
import { openEventStoreReadOnly } from '../../platform/event-store/open-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { isLiving, type PersonalKeyStore, UnreadableKey } from '../../platform/read-model/personal-key-store.port';
import { openPersonalKeyStore } from '../../platform/read-model/read-model.module';
import { type Config } from '../../platform/config';
import { nextSecretThere, secretThere } from '../../platform/secrets/secret-file';
import { newestIn, readSecretHistory, type SecretHistory } from '../../platform/secrets/secret-history';
import { secretOf, ServiceSecret } from '../../platform/secrets/service-secret';
import { type SecretCall } from './run';
import { SecretsInUse } from './standing';

/** What a leaked secret could still open, and how far a rotation has got. */
export async function showStatus({ config, json, out, note }: SecretCall): Promise<ExitCode> {
  const store = await openEventStoreReadOnly(config);
  try {
    const history = await readSecretHistory(store);
    const { fingerprints, since } = history;
    if (fingerprints.length === 0) {
      // Older versions did not record it.
      note('this log does not say yet which secret it uses: start the service on it once');
      return EXIT.wrong;
    }
    const unfinished = unfinishedIn(config, history);
    if (unfinished !== undefined) note(unfinished);
    const inUse = await secretsInUse(store);
    const { counts: keys, unreadable } = await countKeys(config, fingerprints.length);
    for (const place of unreadable) note(`${place} cannot be read`);
    const secrets = fingerprints.map((_, index) => {
      const number = index + 1;
      return { number, ...inUse.on(number), personal_keys: keys.get(number) ?? 0 };
    });
    if (json) {
      out(JSON.stringify({ current: fingerprints.length, since, secrets, unreadable_keys: unreadable }));
      return EXIT.fine;
    }
    out(`The log has used secret ${fingerprints.length} since ${since}.`);
    for (const { number, connections, endpoints, personal_keys } of secrets) {
      const counts = `${connections.length} connections, ${endpoints.length} webhook endpoints, ${personal_keys} personal keys`;
      out(`secret ${number}: ${counts}`);
    }
    return EXIT.fine;
  } finally {
    await store.close();
  }
}

export async function secretsInUse(store: EventStore): Promise<SecretsInUse> {
  const inUse = new SecretsInUse();
  for await (const event of scan(store, { label: 'finding what depends on which secret' })) inUse.see(event);
  return inUse;
}

type KeysBySecret = Readonly<{ counts: ReadonlyMap<number, number>; unreadable: readonly string[] }>;

async function countKeys(config: Config, newest: number): Promise<KeysBySecret> {
  const keyStore = await openPersonalKeyStore(config);
  try {
    return await keysBySecret(keyStore, newest);
  } finally {
    await keyStore.close();
  }
}

async function keysBySecret(keyStore: PersonalKeyStore, newest: number): Promise<KeysBySecret> {
  const counts = new Map<number, number>();
  const unreadable: string[] = [];
  for await (const owner of keyStore.owners()) {
    const number = await secretOfKey(keyStore, owner);
    if (number === undefined) continue;
    if (number > newest) unreadable.push(keyStore.placeOf(owner));
    else counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return { counts, unreadable };
}

/** Infinity if it cannot be read: no log has a secret of that number. */
async function secretOfKey(keyStore: PersonalKeyStore, owner: string): Promise<number | undefined> {
  try {
    const kept = await keyStore.find(owner);
    return isLiving(kept) ? secretOf(kept.wrapped) : undefined;
  } catch (error) {
    if (error instanceof UnreadableKey) return Infinity;
    throw error;
  }
}

/** Compares the available secrets with the log's newest one, which shows how far a rotation has got. */
function unfinishedIn({ serviceSecret, dataDir }: Config, history: SecretHistory): string | undefined {
  const fingerprintOf = (text: string | undefined): string =>
    text === undefined ? '' : ServiceSecret.pendingHistory(text).fingerprint;
  const next = fingerprintOf(nextSecretThere(dataDir));
  const present = fingerprintOf(serviceSecret ?? secretThere(dataDir));
  const isPresent = present === newestIn(history);
  if (next !== '' && (isPresent || next === newestIn(history))) {
    return 'a rotation was interrupted: npm run secret -- rotate finishes it';
  }
  if (isPresent || !history.fingerprints.includes(present)) return undefined;
  const finish = 'rotate with the same NEW_SERVICE_SECRET finishes it';
  return serviceSecret === undefined
    ? `a rotation was interrupted: ${finish}`
    : `SERVICE_SECRET was replaced at ${history.since}; if that rotation was interrupted, ${finish}`;
}
