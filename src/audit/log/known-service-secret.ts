import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, ConfigError } from '../../platform/config';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { pause } from '../../kernel/pause';
import { encodeEvent } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore, StoreUnavailable } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type ServiceSecretAdopted } from '../../events/service-secret.events';
import { SigningKey } from './signing-key';
import { LOG_STREAM } from './transparency-log';

const STREAM = streamName('service_secret', 'main');
const PATIENCE_MS = 100;

/**
 * The log belongs to one service secret: tokens, account ids and sealed data follow from it. With another one agents would be sent
 * away, addresses be unreadable and a new audit key be published for ever; so nothing is begun with another one.
 */
@Injectable()
export class KnownServiceSecret {
  private readonly fingerprint: string;

  constructor(
    secret: ServiceSecret,
    private readonly signingKey: SigningKey,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.fingerprint = secret.key('fingerprint').toString('hex');
  }

  /** Waits for a store that is away, as the rest of the start does. */
  async assertIsTheLogs(): Promise<void> {
    for (;;) {
      try {
        return await this.compareOrAdopt();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await pause(PATIENCE_MS);
      }
    }
  }

  private async compareOrAdopt(): Promise<void> {
    const known = await this.adopted();
    if (known === undefined) {
      if (await this.wasSignedByAnother()) throw this.refusal();
      await this.adopt();
      // Of two that begin a log at the same time, one is first; the other learns here whether it is of the same mind.
      return this.compareOrAdopt();
    }
    if (known !== this.fingerprint) throw this.refusal();
  }

  private async adopted(): Promise<string | undefined> {
    const [first] = await this.store.readStream(STREAM, 0, 1);
    return (first?.data as ServiceSecretAdopted['data'] | undefined)?.fingerprint;
  }

  /** A log from before fingerprints were kept has checkpoints under a key that follows from its secret. */
  private async wasSignedByAnother(): Promise<boolean> {
    if (this.config.auditSigningKey !== undefined) return false;
    const [checkpoint] = await this.store.readStream(LOG_STREAM, 0, 1);
    if (checkpoint === undefined) return false;
    const published = await this.store.readStream(streamName('signing_key', this.signingKey.id), 0, 1);
    return published.length === 0;
  }

  private async adopt(): Promise<void> {
    const at = timestamp(this.clock.now());
    const data = { fingerprint: this.fingerprint, adopted_at: at };
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'start' } };
    const event: ServiceSecretAdopted = { type: 'ServiceSecretAdopted', data };
    await this.store.append(STREAM, 0, [encodeEvent(event, context, at)]);
  }

  private refusal(): ConfigError {
    return new ConfigError('SERVICE_SECRET is not the one this log was begun with; start with that one');
  }
}
