import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Counter } from 'prom-client';
import { type SettlementReport, settlementReports } from '../../../projections/settlement-reports.projection';
import { type PaymentRef } from '../../events/settlement-claim.events';
import { Metrics } from '../../http/operations/metrics';
import { idFor, type PaymentId } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { pause } from '../../kernel/pause';
import { isNewlyObserved, type Observation, SETTLEMENT_VERDICTS } from '../../kernel/settlement';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { TemporaryFailure } from '../../platform/reacting/reactor';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { RecordAgentPaymentSettlement, RecordRequestSettlement } from '../payments/settlement-commands';
import { compare } from './compare';
import { type Finding, findingOf, pinnedFor, type Seen } from './findings';
import { type Claim, rulingsOf, settlementClaim } from './settlement-claim';
import { isWatchedCategory, type KnownPayment, watchedPayments } from './watched-payments';
import { type SettledTransaction } from './witness.port';

const PAGE_SIZE = 200;
/** Payments that are read, or told, at once. */
const AT_ONCE = 16;
/** A report of the second in which the ledger closed may still be on its way into the log. */
const IN_FLIGHT_MS = 250;

type Known = Readonly<{ report: SettlementReport; payment: KnownPayment; eventId: string | null }>;

/**
 * Decides about a transaction that is in a ledger: collects every payment whose wallet named it, lets the transaction's
 * stream decide which transfer settles which, and records on each payment what follows. After a crash the same again
 * adds what is missing.
 */
@Injectable()
export class SettlementJudge {
  private readonly findings: Counter<'verdict'>;
  private readonly queue = new KeyedQueue();

  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandRunner,
    private readonly bus: CommandBus,
    private readonly projector: Projector,
    metrics: Metrics,
  ) {
    this.findings = new Counter({
      name: 'svc_settlement_findings_total',
      help: 'Findings of these lookups, by verdict.',
      labelNames: ['verdict'],
      registers: [metrics.registry],
    });
    // The alert on `differs` sees only increases: a series that begins at 1 would hide the first one.
    for (const verdict of SETTLEMENT_VERDICTS) this.findings.inc({ verdict }, 0);
  }

  /** `lookedUp`: the streams of the payments whose searches end when their finding is recorded. */
  judge(seen: Seen, lookedUp: ReadonlySet<string>, leads: () => boolean, signal: AbortSignal): Promise<void> {
    // Looks at its outer and at its inner hash come to one transaction.
    const key = `${seen.network} ${seen.transaction.ledgerHash}`;
    return this.queue.run(key, () => this.judgeNext(seen, lookedUp, leads, signal));
  }

  private async judgeNext(
    seen: Seen,
    lookedUp: ReadonlySet<string>,
    leads: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { network, transaction } = seen;
    await this.untilSecondIsOver(transaction, signal);
    const id = idFor.settlementClaim(network, transaction.ledgerHash);
    const before = await this.commands.fold(settlementClaim, id);
    // What is collected now, others may have judged more of when this is written: the stream would be at another version.
    await this.projector.progress.passed(await this.store.head());
    const known = await this.reported(seen);
    const claims = known.map((one) => claimOf(one, transaction));
    if (signal.aborted || !leads()) throw new TemporaryFailure('another instance took over');

    const at = timestamp(this.clock.now());
    const command = {
      kind: 'judge',
      network,
      ledgerHash: transaction.ledgerHash,
      claims,
      seen: before.version,
      at,
    } as const;
    const options = { untilReadable: false };
    const { state, version } = await this.commands.run(settlementClaim, id, command, contextOf(null), options);
    const found = rulingsOf(claims, state).map((ruling, index) => {
      const { report, payment, eventId } = known[index] as Known;
      const finding = findingOf(ruling, payment, seen, at);
      return { finding: { ...finding, claimVersion: version }, report, payment, eventId };
    });
    for (const group of inOrder(found, lookedUp)) {
      if (signal.aborted || !leads()) throw new TemporaryFailure('another instance took over');
      await inBatches(group, ({ finding, report, payment, eventId }) =>
        this.record(refOf(report.stream), finding, payment, eventId),
      );
    }
  }

  /** Records what was found of one payment's transaction, if it is news. */
  async record(ref: PaymentRef, observation: Observation, known: KnownPayment, eventId: string | null): Promise<void> {
    if (!isNewlyObserved(observation, known)) return;
    const context = contextOf(eventId);
    await this.bus.execute(
      ref.kind === 'payment_request'
        ? new RecordRequestSettlement(ref.id, observation, context)
        : new RecordAgentPaymentSettlement(ref.id as PaymentId, observation, context),
    );
    this.findings.inc({ verdict: observation.settlement.verdict });
  }

  /** Until then another wallet may still announce the transaction. Where the clocks disagree, nothing is waited for. */
  private async untilSecondIsOver({ closedAt }: SettledTransaction, signal: AbortSignal): Promise<void> {
    const left = endOfSecond(closedAt) + IN_FLIGHT_MS - this.clock.now().getTime();
    if (left > 0 && left <= 1_000 + IN_FLIGHT_MS) await pause(left, signal);
  }

  /** Every payment on this network whose wallet named the transaction, in the order of their first reports. */
  private async reported({ network, transaction: { ledgerHash, innerHash } }: Seen): Promise<readonly Known[]> {
    const hashes = [ledgerHash, ...(innerHash === null ? [] : [innerHash])];
    const reports = (await Promise.all(hashes.map((hash) => this.reportsOf(hash)))).flat();
    reports.sort((one, other) => (one.order < other.order ? -1 : 1));
    const first = new Map<string, SettlementReport>();
    for (const report of reports) if (!first.has(report.stream)) first.set(report.stream, report);
    const moment = await this.commands.moment();
    const known = await inBatches([...first.values()], async (report) => {
      const { category, id } = parseStreamName(report.stream);
      if (!isWatchedCategory(category)) return [];
      const { state: payment, eventId } = await this.commands.fold(watchedPayments[category], id, moment);
      return payment?.facts.network === network ? [{ report, payment, eventId }] : [];
    });
    return known.flat();
  }

  private async reportsOf(hash: string): Promise<readonly SettlementReport[]> {
    const found: SettlementReport[] = [];
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(settlementReports, 'by_hash', [hash], { limit: PAGE_SIZE, after });
      found.push(...page.documents);
      after = page.next ?? undefined;
    } while (after !== undefined);
    return found;
  }
}

const refOf = (stream: string): PaymentRef => {
  const { category, id } = parseStreamName(stream);
  return { kind: category as PaymentRef['kind'], id };
};

const contextOf = (eventId: string | null): CommandContext => ({
  requestId: newId('req'),
  actor: { kind: 'service', id: 'settlement' },
  ...(eventId === null ? {} : { causationId: eventId }),
});

const endOfSecond = (time: string): number => Math.floor(Date.parse(time) / 1000) * 1000 + 1000;

function claimOf({ report, payment }: Known, transaction: SettledTransaction): Claim {
  const { signedHashes } = payment;
  const { ledgerHash, innerHash, closedAt } = transaction;
  // Had the wallet signed only others, it did not know of this one then.
  const isSigned = signedHashes.length === 0 || signedHashes.some((hash) => hash === ledgerHash || hash === innerHash);
  return {
    payment: refOf(report.stream),
    merchantId: payment.merchantId,
    name: payment.name,
    order: report.order,
    announced: isSigned && Date.parse(report.occurred_at) < endOfSecond(closedAt),
    binding: 'none',
    agreeing: compare(pinnedFor(payment, transaction), transaction).agreeing.map(
      ({ operation, transfer, destination: to, asset, issuer }) => ({
        operation,
        transfer,
        to,
        asset,
        issuer,
      }),
    ),
  };
}

type Found = Readonly<{ finding: Finding; report: SettlementReport; payment: KnownPayment; eventId: string | null }>;

/**
 * Who loses a transfer is told before whoever takes it, so that it never settles two. Of several that are told the same,
 * those go last whose search ends with it: while it is open, a crash leaves nobody untold.
 */
function inOrder(found: readonly Found[], lookedUp: ReadonlySet<string>): readonly (readonly Found[])[] {
  const groups = new Map<number, Found[]>();
  for (const one of found) {
    const place = 2 * rankOf(one) + (lookedUp.has(one.report.stream) ? 1 : 0);
    groups.set(place, [...(groups.get(place) ?? []), one]);
  }
  return [...groups].sort(([one], [other]) => one - other).map(([, group]) => group);
}

/** What takes a transfer comes last: its search is opened again when it takes it, see SettlementTransferTaken. */
function rankOf({ finding: { settlement }, payment: { settlement: known } }: Found): number {
  const [had, has] = [known?.verdict === 'matches', settlement.verdict === 'matches'];
  if (had) return has ? 1 : 0;
  return has ? 3 : 2;
}

async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}
