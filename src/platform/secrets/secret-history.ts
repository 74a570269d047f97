import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { type ServiceSecretEvent } from '../../events/service-secret.events';
import { ConfigError } from '../config';
import { type EventStore } from '../event-store/event-store.port';
import { streamName } from '../event-store/stream-name';
import { type ServiceSecret } from './service-secret';

export const SECRET_STREAM_ID = 'main';

export type SecretCommand = Readonly<
  | { kind: 'adopt'; fingerprint: string; at: string }
  | { kind: 'rotate'; from: string; to: string; olderKeysSealed: string; at: string }
>;

/** The secrets a log has had, by fingerprint, oldest first. */
export type SecretHistory = Readonly<{
  fingerprints: readonly string[];
  olderKeysSealed: string | null;
  /** When the newest came into effect. */
  since: string | null;
}>;

/** A log belongs to one service secret at a time: the one it began with, or the newest that has replaced it. */
export const secretHistory: Decider<SecretHistory, SecretCommand, ServiceSecretEvent> = {
  category: 'service_secret',
  initial: { fingerprints: [], olderKeysSealed: null, since: null },

  decide(command, history) {
    switch (command.kind) {
      case 'adopt': {
        const { fingerprint, at } = command;
        if (history.fingerprints.length === 0) {
          return [{ type: 'ServiceSecretAdopted', data: { fingerprint, adopted_at: at } }];
        }
        assertIsNewest(fingerprint, history);
        return [];
      }
      case 'rotate': {
        const { from, to, olderKeysSealed: older_keys_sealed, at: rotated_at } = command;
        if (newestIn(history) === to) return [];
        assertIsNewest(from, history);
        if (history.fingerprints.includes(to)) {
          throw new ConfigError('NEW_SERVICE_SECRET was a secret of this log before; take one that never was');
        }
        const number = history.fingerprints.length + 1;
        return [{ type: 'ServiceSecretRotated', data: { number, fingerprint: to, older_keys_sealed, rotated_at } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve({ fingerprints }, event) {
    switch (event.type) {
      case 'ServiceSecretAdopted': {
        const { fingerprint, adopted_at: since } = event.data;
        return { fingerprints: [...fingerprints, fingerprint], olderKeysSealed: null, since };
      }
      case 'ServiceSecretRotated': {
        const { fingerprint, older_keys_sealed: olderKeysSealed, rotated_at: since } = event.data;
        return { fingerprints: [...fingerprints, fingerprint], olderKeysSealed, since };
      }
      default:
        return assertNever(event);
    }
  },
};

export const newestIn = ({ fingerprints }: SecretHistory): string | undefined => fingerprints.at(-1);

export function assertIsNewest(fingerprint: string, history: SecretHistory): void {
  if (fingerprint === newestIn(history)) return;
  if (history.fingerprints.includes(fingerprint)) {
    throw new ConfigError(`SERVICE_SECRET was replaced by another at ${history.since}; start with the new one`);
  }
  if (history.fingerprints.length > 1) {
    throw new ConfigError(
      `SERVICE_SECRET is not the one that this log has used since ${history.since}; start with that one`,
    );
  }
  throw notTheLogs();
}

/** Gives the secret the keys of its predecessors; throws if it is not the log's newest secret. */
export function learnFrom(history: SecretHistory, secret: ServiceSecret): void {
  if (history.fingerprints.length > 0) assertIsNewest(secret.fingerprint, history);
  secret.learn(history.olderKeysSealed);
}

export const notTheLogs = (): ConfigError =>
  new ConfigError('SERVICE_SECRET is not the one this log was begun with; start with that one');

export async function readSecretHistory(store: Pick<EventStore, 'readStream'>): Promise<SecretHistory> {
  const events = await store.readStream(streamName('service_secret', SECRET_STREAM_ID));
  return events.reduce(
    (history, event) => secretHistory.evolve(history, event as unknown as ServiceSecretEvent),
    secretHistory.initial,
  );
}
