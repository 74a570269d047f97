import { Inject, Injectable } from '../../platform/injection';
import { type Logger } from 'pino';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock } from '../../kernel/clock';
import { LOGGER } from '../../platform/logging/logger';
import { Shares } from '../../platform/reacting/shares';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL_STORE, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { DeliveryAttempts } from './delivery-attempts';
import { MerchantFeed } from './merchant-feed';
import { OutcomeLog } from './outcome-log';
import { Recording } from './recording';
import { SendingCapacity } from './sending-capacity';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

/** What every endpoint's sender needs, however many endpoints there are. */
@Injectable()
export class DeliveryParts {
  constructor(
    readonly feed: MerchantFeed,
    readonly attempts: DeliveryAttempts,
    readonly outcomes: OutcomeLog,
    readonly recording: Recording,
    readonly capacity: SendingCapacity,
    readonly commands: CommandRunner,
    readonly projector: Projector,
    readonly shares: Shares,
    @Inject(READ_MODEL_STORE) readonly model: ReadModelStore,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}
}

/** Whose messages are sent, and the signal after which nothing more is started or awaited. */
export type Own = Readonly<{ endpointId: EndpointId; merchantId: MerchantId; signal: AbortSignal }>;
