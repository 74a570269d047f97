import { KnownServiceSecret } from '../../audit/log/known-service-secret';
import { publishedKey } from '../../audit/log/published-key';
import { SigningKey } from '../../audit/log/signing-key';
import { EXIT, type ExitCode, UsageError } from '../../audit/cli/audit-call';
import { systemClock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { type Config, ConfigError } from '../../platform/config';
import { type EventStore, LOG_START } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { openPersonalKeyStore } from '../../platform/read-model/read-model.module';
import { PersonalData } from '../../platform/secrets/personal-data';
import {
  hasSecretFile,
  nextSecretIn,
  nextSecretThere,
  putNextSecretInPlace,
  removeNextSecret,
  removeSecretFile,
  serviceSecretIn,
} from '../../platform/secrets/secret-file';
import {
  learnFrom,
  newestIn,
  readSecretHistory,
  type SecretHistory,
  SECRET_STREAM_ID,
  secretHistory,
} from '../../platform/secrets/secret-history';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { assertBelongsToUser } from '../data-directory';
import { withStoresAlone } from '../stores-alone';
import { type SecretCall } from './run';
import { secretsInUse } from './status';

const MIN_SECRET_LENGTH = 32;

/**
 * Replaces the secret in use. A single append makes the change: before it the log's secret is the old one, after it the
 * new one. The steps before it do no harm if it never happens; the steps after it are completed by running the same
 * command again.
 */
export async function rotateSecret(call: SecretCall): Promise<ExitCode> {
  const { config, out, note } = call;
  assertGiven(call);
  assertBelongsToUser(config);
  return withStoresAlone(config, async ({ store }) => {
    const isInFile = config.serviceSecret === undefined && hasSecretFile(config.dataDir);
    if ((await store.head()) === LOG_START)
      throw new ConfigError('there is no log here, so there is no secret to replace');
    const history = await readSecretHistory(store);
    const next = alreadyIn(history, call) ?? (await replace(call, history, store));
    learnFrom(await readSecretHistory(store), next);
    const { rewrapped, unreadable } = await rewrapAll(next, config);
    if (call.nextSecret === undefined) putNextSecretInPlace(config.dataDir);
    else if (config.serviceSecret === undefined) removeSecretFile(config.dataDir);
    else removeNextSecret(config.dataDir);

    out(
      `The log now uses secret ${next.number}. Start every instance with it; the previous secret no longer starts a service.`,
    );
    if (call.nextSecret === undefined) out('The new secret is in DATA_DIR, in place of the previous one.');
    else if (isInFile) out('The secret was removed from DATA_DIR: start with SERVICE_SECRET from now on.');
    out(config.auditSigningKey === undefined ? NEW_AUDIT_KEY : OWN_AUDIT_KEY);
    out(`${rewrapped} personal keys were rewrapped.`);
    out(STAYS);
    out(BEGINS_AGAIN);
    await reportOlder(store, next.number, out);
    for (const place of unreadable) note(`${place} could not be opened and was left as it is`);
    return unreadable.length > 0 ? EXIT.wrong : EXIT.fine;
  });
}

const STAYS =
  'These stay valid: sessions, device tokens, connection tokens, API keys, agents’ keys, links in mails, webhook secrets, account ids and addresses.';
const BEGINS_AGAIN =
  'These must be started again: pairings whose code was not entered yet, and choices between organizations.';
const NEW_AUDIT_KEY =
  'Checkpoints are now signed with a new audit key, which the previous one has endorsed; GET /v1/audit/keys lists both.';
const OWN_AUDIT_KEY = 'Checkpoints are still signed with AUDIT_SIGNING_KEY.';

function assertGiven({ config, nextSecret }: SecretCall): void {
  if (nextSecret === undefined) {
    if (config.serviceSecret !== undefined) throw new UsageError('rotate needs the new secret in NEW_SERVICE_SECRET');
    if (!hasSecretFile(config.dataDir)) throw new UsageError('rotate needs SERVICE_SECRET and NEW_SERVICE_SECRET');
    return;
  }
  if (nextSecret.length < MIN_SECRET_LENGTH)
    throw new ConfigError(`NEW_SERVICE_SECRET must have at least ${MIN_SECRET_LENGTH} characters`);
  if (nextSecret === config.serviceSecret)
    throw new ConfigError('NEW_SERVICE_SECRET is the same as SERVICE_SECRET; choose another');
  // Nothing would be replaced, and an operator whose secret leaked would believe that it was.
  if (hasSecretFile(config.dataDir) && serviceSecretIn(config.dataDir) === nextSecret)
    throw new ConfigError('NEW_SERVICE_SECRET is the same as the secret in DATA_DIR; choose another');
}

/** The next secret, if the log already uses it: the command was interrupted after the change. */
function alreadyIn(history: SecretHistory, { config, nextSecret }: SecretCall): ServiceSecret | undefined {
  const ifNewest = (text: string | undefined): ServiceSecret | undefined => {
    const one = text === undefined ? undefined : ServiceSecret.pendingHistory(text);
    return one?.fingerprint === newestIn(history) ? one : undefined;
  };
  const [given, own] = [ifNewest(nextSecret), ifNewest(nextSecretThere(config.dataDir))];
  if (nextSecret === undefined) return own;
  if (given === undefined && own !== undefined) {
    throw new UsageError('a rotation was interrupted: finish it first, without SERVICE_SECRET and NEW_SERVICE_SECRET');
  }
  return given;
}

async function replace(
  { config, nextSecret }: SecretCall,
  history: SecretHistory,
  store: EventStore,
): Promise<ServiceSecret> {
  const isInFile = config.serviceSecret === undefined && hasSecretFile(config.dataDir);
  const text = isInFile ? serviceSecretIn(config.dataDir) : config.serviceSecret;
  if (text === undefined) throw new ConfigError('SERVICE_SECRET must be the secret that this log uses now');
  const old = ServiceSecret.pendingHistory(text);
  if (isInFile && history.fingerprints.slice(0, -1).includes(old.fingerprint)) {
    throw new ConfigError('the secret in DATA_DIR was replaced: finish that rotation with the same NEW_SERVICE_SECRET');
  }
  const commands = new CommandRunner(store, systemClock, () => Promise.resolve());
  try {
    return await replaceWith(commands, old, { config, nextSecret, store });
  } finally {
    // It follows a remote log, and would keep this process from ending.
    commands.onModuleDestroy();
  }
}

async function replaceWith(
  commands: CommandRunner,
  old: ServiceSecret,
  { config, nextSecret, store }: Pick<SecretCall, 'config' | 'nextSecret'> & Readonly<{ store: EventStore }>,
): Promise<ServiceSecret> {
  const key = new SigningKey(old, config);
  await new KnownServiceSecret(old, key, commands, store, config, systemClock).assertIsTheLogsNow();
  // Anything that would make the rewrapping fail after the change fails here, before anything has changed.
  await rewrapAll(old, config);
  const next = ServiceSecret.pendingHistory(nextSecret ?? nextSecretIn(config.dataDir));
  const at = timestamp(systemClock.now());
  const context = { requestId: newId('req'), actor: { kind: 'operator', id: 'secret' } };
  const keyAfter = new SigningKey(next, config);
  // If the old key has signed nothing, nobody trusts it, and its endorsement is not needed.
  if (keyAfter.id !== key.id && (await commands.fold(publishedKey, key.id)).state) {
    const published = { id: keyAfter.id, publicKey: keyAfter.publicKey, endorsement: key.endorsement(keyAfter), at };
    await commands.run(publishedKey, keyAfter.id, published, context, { untilReadable: false });
  }
  const command = { kind: 'rotate', from: old.fingerprint, to: next.fingerprint, at } as const;
  const olderKeysSealed = old.sealedFor(next);
  await commands.run(secretHistory, SECRET_STREAM_ID, { ...command, olderKeysSealed }, context, {
    untilReadable: false,
  });
  return next;
}

/** Afterwards the old secret opens no personal key. An unreadable key does not block the others. */
async function rewrapAll(
  next: ServiceSecret,
  config: Config,
): Promise<Readonly<{ rewrapped: number; unreadable: readonly string[] }>> {
  const keyStore = await openPersonalKeyStore(config);
  try {
    const personal = new PersonalData(next, keyStore);
    const unreadable: string[] = [];
    let rewrapped = 0;
    for await (const owner of keyStore.owners()) {
      const outcome = await personal.rewrap(owner);
      if (outcome === 'rewrapped') rewrapped += 1;
      if (outcome === 'unreadable') unreadable.push(keyStore.placeOf(owner));
    }
    return { rewrapped, unreadable };
  } finally {
    await keyStore.close();
  }
}

async function reportOlder(store: EventStore, newest: number, out: (line: string) => void): Promise<void> {
  const inUse = await secretsInUse(store);
  for (let number = 1; number < newest; number += 1) {
    const { connections, endpoints } = inUse.on(number);
    if (connections.length + endpoints.length === 0) continue;
    const what = `${connections.length} connection tokens and ${endpoints.length} webhook secrets`;
    out(
      `Whoever knows secret ${number} knows ${what} until each is rotated: npm run secret -- status --json lists them.`,
    );
  }
}
