import { scan } from '../../audit/cli/scan';
import { EXIT, type ExitCode } from '../../audit/cli/surroundings';
import { openEventStoreReadOnly } from '../../platform/event-store/event-store.module';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { isLiving, type KeyShelf } from '../../platform/read-model/key-shelf.port';
import { openKeyShelf } from '../../platform/read-model/read-model.module';
import { hasNextSecretFile } from '../../platform/secrets/secret-file';
import { readSecretHistory } from '../../platform/secrets/secret-history';
import { secretOf } from '../../platform/secrets/service-secret';
import { type SecretCall } from './run';
import { SecretsInUse } from './standing';

/** What a secret that has leaked could still open, and how far a rotation has come. */
export async function showStatus({ config, json, out, note }: SecretCall): Promise<ExitCode> {
  const store = await openEventStoreReadOnly(config);
  try {
    const { fingerprints, since } = await readSecretHistory(store);
    if (fingerprints.length === 0) {
      note('this log has no secret yet: no service was started on it');
      return EXIT.wrong;
    }
    if (hasNextSecretFile(config.dataDir)) note('a rotation was cut short: npm run secret -- rotate finishes it');
    const inUse = await secretsInUse(store);
    const shelf = await openKeyShelf(config);
    const keys = await keysBySecret(shelf).finally(() => shelf.close());
    const secrets = fingerprints.map((_, index) => {
      const number = index + 1;
      return { number, ...inUse.on(number), personal_keys: keys.get(number) ?? 0 };
    });
    if (json) {
      out(JSON.stringify({ current: fingerprints.length, since, secrets }));
      return EXIT.fine;
    }
    out(`The log goes on with secret ${fingerprints.length} since ${since}.`);
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
  for await (const event of scan(store, { label: 'looking for what stands on which secret' })) inUse.see(event);
  return inUse;
}

async function keysBySecret(shelf: KeyShelf): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for await (const owner of shelf.owners()) {
    const kept = await shelf.find(owner);
    if (!isLiving(kept)) continue;
    const number = secretOf(kept.wrapped);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}
