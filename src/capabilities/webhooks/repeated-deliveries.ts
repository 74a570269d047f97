import { type WebhookQueueDocument, webhookQueues } from '../../../projections/webhook-queues.projection';
import { type DeliveryParts, type Own } from './delivery-parts';
import { DueDeliveries } from './due-deliveries';
import { type Job, type Source } from './source';
import { webhookEndpoint } from './webhook-endpoint';

const FAILING_MS = 5 * 24 * 3_600_000;

/** Deliveries with a stream of their own, sent when due: retries, in lane order, or requested redeliveries. */
export class RepeatedDeliveries implements Source {
  private readonly due: DueDeliveries;

  constructor(
    private readonly own: Own,
    private readonly parts: DeliveryParts,
  ) {
    this.due = new DueDeliveries(own.endpointId, parts.model, parts.projector.progress);
  }

  get open(): number {
    return this.due.open;
  }

  get isFailing(): boolean {
    return this.due.isFailing;
  }

  get mayReadOn(): boolean {
    return this.due.mayReadOn;
  }

  startOver(): void {
    this.due.startOver();
  }

  /** Whether there may be something to read. */
  sweep(queue: WebhookQueueDocument): boolean {
    return this.due.sweep(queue, this.parts.clock.now());
  }

  async read(): Promise<boolean> {
    const { queue, hasMore } = await this.due.readOn(this.parts.clock.now());
    if (hasFailedTooLong(queue)) {
      this.due.startOver();
      await this.disable();
    }
    return hasMore;
  }

  /** Each attempt is recorded in its own stream before the job ends, so there is nothing to wait for. */
  settled(): Promise<void> {
    return Promise.resolve();
  }

  take(): Job | undefined {
    const due = this.due.take();
    if (due === undefined) return undefined;
    const { deliveryId } = due;
    return async (target, answered) => {
      const { attempts, logger } = this.parts;
      const attempt = attempts.retry(target, due, this.own.signal, answered);
      const result = await attempt.catch((error: unknown) => {
        logger.warn({ err: error, webhook_delivery_id: deliveryId }, 'webhook attempt not recorded');
        return undefined;
      });
      this.due.sent(deliveryId, result?.recorded);
      answered(result?.answered ?? 'neutral');
    };
  }

  /** The read model may lag: failures of an old URL, or from before it was enabled again, must not disable it now. */
  private async disable(): Promise<void> {
    const { attempts, commands, model, projector } = this.parts;
    const { endpointId } = this.own;
    const { state: endpoint, position } = await commands.fold(webhookEndpoint, endpointId);
    await projector.progress.passed(position);
    if (endpoint === null || !hasFailedTooLong(await model.get(webhookQueues, endpointId))) return;
    await attempts.disable(endpointId, endpoint, 'failing');
  }
}

function hasFailedTooLong(queue: WebhookQueueDocument | undefined): boolean {
  if (!queue?.active) return false;
  const { failing_since: since, last_failed_at: last } = queue;
  return since !== null && last !== null && Date.parse(last) - Date.parse(since) >= FAILING_MS;
}
