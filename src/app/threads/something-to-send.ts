import { merchantFeeds } from '../../../projections/merchant-feed.projection';
import { webhookQueues } from '../../../projections/webhook-queues.projection';
import { type Projector } from '../../platform/projecting/projector';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';

const ENDPOINT_STREAMS = 'webhook_endpoint-';

/** Resolves when an endpoint exists or has something left to send: a service without any needs no thread for it. */
export async function somethingToSend(projector: Projector, model: ReadModelStore): Promise<void> {
  // Also works during a rebuild of the read model, which replays the events of every endpoint.
  const seen = new Promise<void>((resolve) =>
    projector.onApplied((events) => {
      if (events.some(({ stream }) => stream.startsWith(ENDPOINT_STREAMS))) resolve();
    }),
  );
  if (!(await hasSomething(model))) await seen;
}

async function hasSomething(model: ReadModelStore): Promise<boolean> {
  const isThere = [true] as const;
  const counts = await Promise.all([
    model.count(webhookQueues, 'by_active', isThere, 1),
    model.count(webhookQueues, 'busy', isThere, 1),
    model.count(webhookQueues, 'abandoned', isThere, 1),
    model.count(merchantFeeds, 'ending', isThere, 1),
    // If the read fails, the thread is started: it reports the failure itself.
  ]).catch(() => [1]);
  return counts.some((count) => count > 0);
}
