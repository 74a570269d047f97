import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { is } from '../../events';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { pause } from '../../kernel/pause';
import {
  EVENT_STORE,
  type EventStore,
  type RecordedEvent,
  StoreUnavailable,
} from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import {
  learnFrom,
  notTheLogs,
  readSecretHistory,
  SECRET_STREAM_ID,
  secretHistory,
} from '../../platform/secrets/secret-history';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { SigningKey } from './signing-key';
import { LOG_STREAM } from './transparency-log';

const RETRY_DELAY_MS = 100;

/**
 * The log belongs to one service secret at a time: tokens, account ids and sealed data are derived from it. Any other
 * secret is refused: agents would be locked out, addresses unreadable, and a new audit key published permanently.
 */
@Injectable()
export class KnownServiceSecret {
  constructor(
    private readonly secret: ServiceSecret,
    private readonly signingKey: SigningKey,
    private readonly commands: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Retries while the store is unavailable, like the rest of startup. Also loads the previous secrets' keys. */
  async assertIsTheLogs(): Promise<void> {
    for (;;) {
      try {
        return await this.assertIsTheLogsNow();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await pause(RETRY_DELAY_MS);
      }
    }
  }

  /** Whether one of these events says that another secret has replaced the one this instance started with. */
  isReplacedIn(events: readonly RecordedEvent[]): boolean {
    return events.some((event) => is(event, 'ServiceSecretRotated') && event.data.number > this.secret.number);
  }

  /** As assertIsTheLogs, for callers that do not wait. */
  async assertIsTheLogsNow(): Promise<void> {
    const history = await readSecretHistory(this.store);
    if (history.fingerprints.length === 0) {
      if (await this.wasSignedByAnother()) throw notTheLogs();
      await this.adopt();
      // If two instances start a new log concurrently, the second one finds out here whether their secrets agree.
      return this.assertIsTheLogsNow();
    }
    learnFrom(history, this.secret);
  }

  /** A log from before fingerprints were recorded has checkpoints under a key derived from its secret. */
  private async wasSignedByAnother(): Promise<boolean> {
    if (this.config.auditSigningKey !== undefined) return false;
    const [checkpoint] = await this.store.readStream(LOG_STREAM, 0, 1);
    if (checkpoint === undefined) return false;
    const published = await this.store.readStream(streamName('signing_key', this.signingKey.id), 0, 1);
    return published.length === 0;
  }

  private async adopt(): Promise<void> {
    const at = timestamp(this.clock.now());
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'start' } };
    const command = { kind: 'adopt', fingerprint: this.secret.fingerprint, at } as const;
    await this.commands.run(secretHistory, SECRET_STREAM_ID, command, context, { untilReadable: false });
  }
}
