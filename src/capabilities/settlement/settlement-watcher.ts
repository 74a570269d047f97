import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { Counter } from 'prom-client';
import { type SettlementWatch, settlementWatches } from '../../../projections/settlement-watches.projection';
import { Metrics } from '../../http/operations/metrics';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { pause } from '../../kernel/pause';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { LOGGER } from '../../platform/logging/logger';
import { Projector } from '../../platform/projecting/projector';
import { Leadership } from '../../platform/reacting/leadership';
import { Reactors } from '../../platform/reacting/reactors';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { unseen } from './findings';
import { JoinedRuns } from './joined-runs';
import { LookupQueue, type NextLook } from './lookup-queue';
import { isRecentEnough, pauseBefore } from './lookup-schedule';
import { SettlementJudge } from './settlement-judge';
import { isWatchedCategory, watchedPayments } from './watched-payments';
import { SETTLEMENT_WITNESSES, type SettlementWitnesses, type Sighting } from './witness.port';
import { type PaymentRef } from '../../events/settlement-claim.events';
import { beginningsOf } from './watch-beginnings';

const PAGE_SIZE = 200;
const RETRY_DELAY_MS = 1_000;
const TAKEN_OVER: Sighting = { kind: 'unclear', reason: 'another instance took over' };

/**
 * Queries the network for every transaction that a wallet reported as confirmed. New reports arrive from the log; the
 * read model holds what an earlier process left unfinished. Repeated lookups are harmless: only new findings are
 * recorded.
 */
@Injectable()
export class SettlementWatcher implements OnModuleInit {
  /** By network: where one server has had enough, the others are still asked. */
  private queues: ReadonlyMap<string, LookupQueue> = new Map();
  private resuming: Promise<void> = Promise.resolve();
  private stopping = new AbortController();
  private readonly looks: Counter<'outcome'>;
  /** What is asked about one hash is asked once for all payments whose wallets named it. */
  private readonly transactions = new JoinedRuns<Sighting>((key, streams) => this.ask(key, streams));

  constructor(
    @Inject(SETTLEMENT_WITNESSES) private readonly witnesses: SettlementWitnesses,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly commands: CommandRunner,
    private readonly judge: SettlementJudge,
    private readonly projector: Projector,
    private readonly leadership: Leadership,
    private readonly reactors: Reactors,
    metrics: Metrics,
  ) {
    const registers = [metrics.registry];
    this.looks = new Counter({
      name: 'svc_settlement_looks_total',
      help: 'Lookups of reported transactions on a network, by result.',
      labelNames: ['outcome'],
      registers,
    });
    metrics.gauge('svc_settlement_watches', 'Payments whose transaction is being looked up.', () => this.size);
  }

  get size(): number {
    return [...this.queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  onModuleInit(): void {
    if (this.witnesses.size === 0) return;
    this.reactors.add(beginningsOf((stream, since) => this.watch(stream, since)));
  }

  /** Also restarts after a stop. */
  start(): void {
    if (this.witnesses.size === 0) return;
    this.stopping = new AbortController();
    this.queues = new Map(
      [...this.witnesses.keys()].map((network) => [
        network,
        new LookupQueue((stream, since, signal) => this.look(stream, since, signal)),
      ]),
    );
    this.resuming = this.resume(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.resuming;
    await Promise.all([...this.queues.values()].map((queue) => queue.stop()));
    this.queues = new Map();
  }

  private async watch(stream: string, since: string): Promise<void> {
    if (!isRecentEnough(since, this.clock.now())) return;
    const payment = (await this.watched(stream))?.state;
    if (payment) this.queues.get(payment.facts.network)?.add(stream, new Date(since), payment.merchantId);
  }

  private async watched(stream: string) {
    const { category, id } = parseStreamName(stream);
    return isWatchedCategory(category) ? this.commands.fold(watchedPayments[category], id) : undefined;
  }

  /** The previous leader may have left watches that no new event will announce. */
  private async resume(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.projector.progress.passed(await this.store.head());
        return await this.resumeAll(signal);
      } catch (error) {
        this.logger.warn({ err: error }, 'open settlement watches could not be read, trying again');
        await pause(RETRY_DELAY_MS, signal);
      }
    }
  }

  private async resumeAll(signal: AbortSignal): Promise<void> {
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(settlementWatches, 'open', [true], {
        limit: PAGE_SIZE,
        after,
        order: 'desc',
      });
      const current = page.documents.filter(({ since }: SettlementWatch) => isRecentEnough(since, this.clock.now()));
      for (const { id, since } of current) await this.watch(id, since);
      // Newest first: everything after the first one that is too old is older still.
      after = current.length < page.documents.length ? undefined : (page.next ?? undefined);
    } while (after !== undefined && !signal.aborted);
  }

  private async look(stream: string, since: Date, signal: AbortSignal): Promise<NextLook> {
    let sighting: Sighting | undefined;
    try {
      sighting = await this.lookOnce(stream, signal);
      if (sighting === undefined || sighting.kind === 'found') return undefined;
    } catch (error) {
      this.looks.inc({ outcome: 'failed' });
      this.logger.warn({ err: error, stream }, 'a settlement could not be witnessed, trying again');
    }
    if (sighting?.kind === 'unclear' && sighting.retryAfterMs !== undefined)
      return { serverPauseMs: sighting.retryAfterMs };
    const afterMs = pauseBefore(since, this.clock.now(), sighting?.kind);
    return afterMs === undefined ? undefined : { afterMs };
  }

  /** What the network says, once that is recorded; undefined if there is nothing to ask. */
  private async lookOnce(stream: string, signal: AbortSignal): Promise<Sighting | undefined> {
    const { category, id } = parseStreamName(stream);
    const { state: payment = null, eventId = null } = (await this.watched(stream)) ?? {};
    const witness = payment && this.witnesses.get(payment.facts.network);
    if (!witness || payment.transactionHash === null) return undefined;

    const { transactionHash } = payment;
    const sighting = await this.transactions.join(`${payment.facts.network} ${transactionHash}`, stream);
    if (sighting.kind === 'found') return sighting;
    if (signal.aborted || !this.leadership.leads()) return TAKEN_OVER;
    if (sighting.kind === 'unclear')
      this.logger.info({ stream, reason: sighting.reason }, 'the network server gave no clear answer');
    const look = { observed_at: timestamp(this.clock.now()), witness: witness.name };
    const observation = { transactionHash, settlement: unseen(sighting.kind, look) };
    await this.judge.record({ kind: category as PaymentRef['kind'], id }, observation, payment, eventId);
    return sighting;
  }

  /** One question to the network for all these payments, and the decision about all that named the transaction. */
  private async ask(key: string, streams: readonly string[]): Promise<Sighting> {
    const { signal } = this.stopping;
    const [network = '', hash = ''] = key.split(' ');
    const witness = this.witnesses.get(network);
    if (witness === undefined) return { kind: 'not_found' };
    const sighting = await witness.look(hash, signal);
    if (signal.aborted || !this.leadership.leads()) return TAKEN_OVER;
    this.looks.inc({ outcome: sighting.kind });
    if (sighting.kind !== 'found') return sighting;
    const seen = { network, witness: witness.name, transaction: sighting.transaction };
    await this.judge.judge(seen, new Set(streams), () => this.leadership.leads(), signal);
    return sighting;
  }
}
