import { type INestApplicationContext } from '@nestjs/common';
import { TransparencyLog } from '../audit/log/transparency-log';
import { SettlementWatcher } from '../capabilities/settlement/settlement-watcher';
import { WebhookDispatcher } from '../capabilities/webhooks/webhook-dispatcher';
import { Metrics } from '../http/operations/metrics';
import { endsWithin } from '../kernel/pause';
import { LOG_START } from '../platform/event-store/event-store.port';
import { LOGGER } from '../platform/logging/logger';
import { Projector } from '../platform/projecting/projector';
import { DueSweepers } from '../platform/reacting/due-sweepers';
import { Leadership } from '../platform/reacting/leadership';
import { Reactors } from '../platform/reacting/reactors';
import { type Thread, THREAD } from '../platform/threads/thread-link';
import { BackgroundWork, type Part } from './background-work';

/** Without a leader nothing is confirmed: the work then begins whenever it is. */
const CONFIRMATION_TIMEOUT_MS = 1_000;

const nothing: Part = { start: () => undefined, stop: () => Promise.resolve() };

/** Always follows the log; if `works`, also does the background work, and sends webhooks unless a thread does. */
export class Background {
  private readonly leadership: Leadership;
  private readonly projector: Projector;
  private readonly reactors: Reactors;
  private readonly work: BackgroundWork;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly options: Readonly<{ works: boolean; mayBegin: () => boolean }>,
  ) {
    this.leadership = app.get(Leadership);
    this.projector = app.get(Projector);
    this.reactors = app.get(Reactors);
    const isAlone = app.get<Thread>(THREAD).side === 'only';
    // Reactors, sweeps, senders and the tree all go by what the read store holds: if that is not from this log, they
    // would skip events, sign what is not there, and notify others of what never happened.
    const mayBegin = (): boolean => options.mayBegin() && this.projector.isFollowing;
    this.work = new BackgroundWork(
      { leads: () => mayBegin() && this.leadership.leads(), sends: mayBegin },
      isAlone ? app.get(WebhookDispatcher) : nothing,
      // The watcher starts before the reactors, which feed it.
      [app.get(SettlementWatcher), this.reactors, app.get(DueSweepers), app.get(TransparencyLog)],
      app.get(LOGGER),
    );
  }

  /** From now on the read model advances, driven by this instance or by another. */
  async follow(): Promise<void> {
    await this.leadership.start();
    await this.projector.start();
    const metrics = this.app.get(Metrics);
    metrics.gauge('svc_projection_lag_seconds', 'Age of the oldest event not yet readable.', () =>
      this.projector.lagSeconds(),
    );
    metrics.gauge('svc_leader', '1 on the instance that does the background work, 0 elsewhere.', () =>
      Number(this.leadership.leads()),
    );
    metrics.gauge('svc_reactor_lag_seconds', 'Age of the oldest event that a reactor has not processed yet.', () =>
      this.reactors.lagSeconds(),
    );
    metrics.gauge('svc_reactions_set_aside', 'Events that wait because a reactor kept failing at them.', () =>
      this.reactors.setAside(),
    );
    metrics.gauge('svc_transparency_lag_seconds', 'Age of the oldest event that is not in the tree over the log.', () =>
      this.app.get(TransparencyLog).lagSeconds(),
    );
  }

  async begin(): Promise<void> {
    if (!this.options.works) return;
    // A remote log confirms within moments that it continues what reads show. Whoever calls a service that has just
    // started then finds its work running: a proof, for instance, waits for the next checkpoint.
    const isConfirmed = this.projector.progress.passed(LOG_START).catch(() => undefined);
    await endsWithin(CONFIRMATION_TIMEOUT_MS, isConfirmed);
    await this.work.start();
  }

  /** Retries at once what reactors have set aside. */
  async retrySetAside(): Promise<void> {
    await this.reactors.retrySetAside();
  }

  /** Stops sending; the read model keeps advancing for requests still in flight. */
  retire(): Promise<void> {
    return this.work.retire();
  }

  async stop(): Promise<void> {
    await this.work.stop();
    await this.projector.stop();
    await this.leadership.stop();
  }
}
