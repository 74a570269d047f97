import { KnownServiceSecret } from '../../audit/log/known-service-secret';
import { SigningKey } from '../../audit/log/signing-key';
import { EXIT, type ExitCode, UsageError } from '../../audit/cli/surroundings';
import { type SigningKeyEvent } from '../../events/signing-key.events';
import { systemClock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { type Config, ConfigError } from '../../platform/config';
import { encodeEvents } from '../../platform/event-store/event-codec';
import { type EventStore, LOG_START } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { openKeyShelf } from '../../platform/read-model/read-model.module';
import { PersonalData } from '../../platform/secrets/personal-data';
import {
  hasNextSecretFile,
  hasSecretFile,
  nextSecretIn,
  putNextSecretInPlace,
  removeSecretFile,
  serviceSecretIn,
} from '../../platform/secrets/secret-file';
import {
  learnFrom,
  newestIn,
  readSecretHistory,
  SECRET_STREAM_ID,
  secretHistory,
} from '../../platform/secrets/secret-history';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { withStoresAlone } from '../stores-alone';
import { type SecretCall } from './run';
import { secretsInUse } from './status';

const SHORTEST = 32;

/**
 * Puts another secret in the place of the one in use. One append is the moment of the change: before it the old secret is the log's,
 * from then on the new one. What comes before it does no harm if it never happens; what comes after it is done by the same command
 * again.
 */
export async function rotateSecret(call: SecretCall): Promise<ExitCode> {
  const { config, out, note } = call;
  assertGiven(call);
  return withStoresAlone(config, async ({ store }) => {
    const isInFile = config.serviceSecret === undefined && hasSecretFile(config.dataDir);
    const old = isInFile ? serviceSecretIn(config.dataDir) : config.serviceSecret;
    if ((await store.head()) === LOG_START)
      throw new ConfigError('there is no log here whose secret could be replaced');
    const next = ServiceSecret.notYetAsked(call.nextSecret ?? nextSecretIn(config.dataDir));

    if (newestIn(await readSecretHistory(store)) !== next.fingerprint) await replace(old, next, store, config);
    learnFrom(await readSecretHistory(store), next);
    const { rewrapped, unreadable } = await rewrapAll(next, config);
    if (call.nextSecret === undefined) putNextSecretInPlace(config.dataDir);
    else if (config.serviceSecret === undefined) removeSecretFile(config.dataDir);

    out(
      `The log goes on with secret ${next.number}. Start every instance with it; the one before starts nothing any more.`,
    );
    if (call.nextSecret === undefined) out('The new secret is in DATA_DIR, where the one before was.');
    else if (isInFile) out('The secret is gone from DATA_DIR: start with SERVICE_SECRET from now on.');
    out(config.auditSigningKey === undefined ? NEW_AUDIT_KEY : OWN_AUDIT_KEY);
    out(`${rewrapped} personal keys were wrapped anew.`);
    out(STAYS);
    out(BEGINS_AGAIN);
    await tellOlder(store, next.number, out);
    if (unreadable > 0) note(`${unreadable} personal keys could not be opened, and were left as they are`);
    return unreadable > 0 ? EXIT.wrong : EXIT.fine;
  });
}

const STAYS =
  'Stay good as they are: sessions, device tokens, connection tokens, API keys, agents’ keys, links in mails, webhook secrets, account ids and addresses.';
const BEGINS_AGAIN = 'Must be begun again: pairings whose code was not entered yet, and choices between organizations.';
const NEW_AUDIT_KEY =
  'Checkpoints are signed by a new audit key, which the one before has signed for; both stay at GET /v1/audit/keys.';
const OWN_AUDIT_KEY = 'AUDIT_SIGNING_KEY signs checkpoints as before.';

function assertGiven({ config, nextSecret }: SecretCall): void {
  if (nextSecret === undefined) {
    if (config.serviceSecret !== undefined) throw new UsageError('rotate needs the new secret in NEW_SERVICE_SECRET');
    if (!hasSecretFile(config.dataDir)) throw new UsageError('rotate needs SERVICE_SECRET and NEW_SERVICE_SECRET');
    return;
  }
  if (nextSecret.length < SHORTEST)
    throw new ConfigError(`NEW_SERVICE_SECRET must have at least ${SHORTEST} characters`);
  if (nextSecret === config.serviceSecret) throw new ConfigError('NEW_SERVICE_SECRET is SERVICE_SECRET; take another');
  if (hasNextSecretFile(config.dataDir)) {
    throw new UsageError('a rotation was cut short: finish it first, without NEW_SERVICE_SECRET');
  }
}

async function replace(
  text: string | undefined,
  next: ServiceSecret,
  store: EventStore,
  config: Config,
): Promise<void> {
  if (text === undefined) throw new ConfigError('SERVICE_SECRET must be the secret this log goes on with until now');
  const old = ServiceSecret.notYetAsked(text);
  const commands = new CommandRunner(store, systemClock, () => Promise.resolve());
  const key = new SigningKey(old, config);
  await new KnownServiceSecret(old, key, commands, store, config, systemClock).assertIsTheLogsNow();
  const at = timestamp(systemClock.now());
  const context = { requestId: newId('req'), actor: { kind: 'operator', id: 'secret' } };
  const keyAfter = new SigningKey(next, config);
  if (keyAfter.id !== key.id && (await isPublished(key, store)) && !(await isPublished(keyAfter, store))) {
    const endorsed = encodeEvents(endorsedKey(key, keyAfter, at), context, at);
    await store.append(streamName('signing_key', keyAfter.id), 0, endorsed);
  }
  const command = { kind: 'rotate', from: old.fingerprint, to: next.fingerprint, at } as const;
  const olderKeysSealed = old.sealedFor(next);
  await commands.run(secretHistory, SECRET_STREAM_ID, { ...command, olderKeysSealed }, context, {
    untilReadable: false,
  });
}

const isPublished = async ({ id }: SigningKey, store: EventStore): Promise<boolean> =>
  (await store.readStream(streamName('signing_key', id), 0, 1)).length > 0;

function endorsedKey(key: SigningKey, after: SigningKey, at: string): readonly SigningKeyEvent[] {
  const about = { key_id: after.id, alg: 'Ed25519', public_key: after.publicKey, published_at: at } as const;
  return [
    { type: 'SigningKeyPublished', data: about },
    { type: 'SigningKeyEndorsed', data: { ...key.endorsement(after), endorsed_at: at } },
  ];
}

/** So that the secret before opens no key of what is kept from now on. One that cannot be opened holds up no other. */
async function rewrapAll(
  next: ServiceSecret,
  config: Config,
): Promise<Readonly<{ rewrapped: number; unreadable: number }>> {
  const shelf = await openKeyShelf(config);
  try {
    const personal = new PersonalData(next, shelf);
    let [rewrapped, unreadable] = [0, 0];
    for await (const owner of shelf.owners()) {
      const outcome = await personal.rewrap(owner);
      if (outcome === 'rewrapped') rewrapped += 1;
      if (outcome === 'unreadable') unreadable += 1;
    }
    return { rewrapped, unreadable };
  } finally {
    await shelf.close();
  }
}

async function tellOlder(store: EventStore, newest: number, out: (line: string) => void): Promise<void> {
  const inUse = await secretsInUse(store);
  for (let number = 1; number < newest; number += 1) {
    const { connections, endpoints } = inUse.on(number);
    if (connections.length + endpoints.length === 0) continue;
    const what = `${connections.length} connection tokens and ${endpoints.length} webhook secrets`;
    out(
      `Whoever knows secret ${number} knows ${what} until each is rotated: npm run secret -- status --json names them.`,
    );
  }
}
