import { type Logger } from 'pino';
import { type Config } from '../../platform/config';
import { type Metrics } from '../../http/operations/metrics';
import { type Clock } from '../../kernel/clock';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type Projector } from '../../platform/projecting/projector';
import { systemClocks } from '../../platform/reacting/lease-loop';
import { noNeighbours } from '../../platform/reacting/neighbours';
import { Shares } from '../../platform/reacting/shares';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { type ServiceSecret } from '../../platform/secrets/service-secret';
import { DeletedEndpoints } from './deleted-endpoints';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryLimits } from './delivery-limits';
import { DeliveryParts } from './delivery-parts';
import { FollowedSubjects } from './followed-subjects';
import { MerchantFeed } from './merchant-feed';
import { OutcomeLog } from './outcome-log';
import { Recording } from './recording';
import { SendingCapacity } from './sending-capacity';
import { WebhookSecrets } from './signing';
import { WebhookDispatcher } from './webhook-dispatcher';
import { WebhookSender } from './webhook-sender';

type Dependencies = Readonly<{
  config: Config;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  secret: ServiceSecret;
  store: EventStore;
  model: ReadModelStore;
  projector: Projector;
}>;

/** The sending thread has no feed readers. */
const noReaders = { grown: () => undefined, someHaveGrown: () => undefined };

/** Everything sending needs, for a thread that does nothing else; webhooks.module.ts wires the same in-process. */
export function sendingBy({ config, clock, logger, metrics, secret, store, model, projector }: Dependencies) {
  const commands = new CommandRunner(store, clock, (position) => projector.progress.passed(position));
  const shares = new Shares('thread', undefined, logger, systemClocks, noNeighbours);
  const subjects = new FollowedSubjects(store);
  const feed = new MerchantFeed(projector, noReaders, subjects, model);
  feed.onModuleInit();
  const limits = new DeliveryLimits();
  const recording = new Recording(logger, shares);
  const sender = new WebhookSender(config, new WebhookSecrets(secret));
  const attempts = new DeliveryAttempts(commands, sender, feed, recording, limits, model, clock, shares, metrics);
  const outcomes = new OutcomeLog(commands, attempts, recording, store, clock);
  const capacity = new SendingCapacity(limits);
  const parts = new DeliveryParts(
    feed,
    attempts,
    outcomes,
    recording,
    capacity,
    commands,
    projector,
    shares,
    model,
    clock,
    logger,
  );
  return { dispatcher: new WebhookDispatcher(parts, subjects, new DeletedEndpoints(), metrics), sender };
}
