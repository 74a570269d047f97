import { merchantFeeds } from '../../../projections/merchant-feed.projection';
import { webhookQueues } from '../../../projections/webhook-queues.projection';
import { type Projector } from '../../platform/projecting/projector';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';

const OF_ENDPOINTS = 'webhook_endpoint-';

/** Resolves when there is an endpoint to send to, or one that something was left for: a service without any needs no thread for it. */
export async function somethingToSend(projector: Projector, model: ReadModelStore): Promise<void> {
  // Also where the reads are still being built: they come to every endpoint there is.
  const seen = new Promise<void>((resolve) =>
    projector.onApplied((events) => {
      if (events.some(({ stream }) => stream.startsWith(OF_ENDPOINTS))) resolve();
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
    // What cannot be read is for the thread to find.
  ]).catch(() => [1]);
  return counts.some((count) => count > 0);
}
