import { isPassing, SvcError } from '../../../sdk/src/errors.ts';
import { type StatusReport } from '../../../sdk/src/types/payment.ts';
import { type NetworkServer, type Submission } from './network-server.ts';
import { type Outbox, type Outcome, type PaymentPlace, type SignedPayment } from './outbox.ts';

export type RunPorts = Readonly<{
  outbox: Outbox;
  report(place: PaymentPlace, report: StatusReport): Promise<unknown>;
  network: Pick<NetworkServer, 'submit' | 'find' | 'account' | 'newestClose'> | undefined;
  /** Milliseconds since 1970 by the service's clock: the device's own may be wrong by hours. */
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Called after every step, for the page. */
  onStep?(payment: SignedPayment): void;
}>;

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
const BUSY_ATTEMPTS = 4;
const BAD_SEQUENCE_CHECKS = 5;

/**
 * Carries a signed payment through and reports each step to the service: `signed` before it is submitted, then
 * `broadcasted`, then `confirmed` or `failed`. After any interruption it can resume from what the outbox holds; nothing
 * here signs, so there is never a second transaction.
 */
export class PaymentRun {
  constructor(private readonly ports: RunPorts) {}

  async finish(key: string): Promise<SignedPayment> {
    let payment = await this.current(key);
    if (!payment.done && payment.reported === undefined) payment = await this.reportSigned(payment);
    if (payment.done || payment.way === 'elsewhere') return payment;
    if (payment.way === 'told') await this.reportBroadcasted(payment);
    const outcome = payment.outcome ?? (await this.outcomeOf(payment));
    if (outcome === undefined) return this.current(key);
    return this.reportOutcome(await this.change(payment, { outcome }));
  }

  /** Undefined if this wallet cannot see what happened to the payment. */
  private async outcomeOf(payment: SignedPayment): Promise<Outcome | undefined> {
    switch (payment.way) {
      case 'practice':
        return { kind: 'confirmed' };
      case 'network':
        return this.throughNetwork(payment);
      case 'told':
        return this.ports.network && this.pollUntilFound(payment);
      case 'elsewhere':
        return undefined;
      default:
        return payment.way satisfies never;
    }
  }

  private async pollUntilFound(payment: SignedPayment): Promise<Outcome> {
    for (let round = 0; ; round += 1) {
      const ended = await this.lookUp(payment);
      if (ended) return ended;
      await this.ports.pause(pauseAfter(round));
    }
  }

  /** If the service refuses, the payment is no longer wanted: it is withdrawn and never submitted. */
  private async reportSigned(payment: SignedPayment): Promise<SignedPayment> {
    // Named before the network sees it: whoever copies the hash from there comes too late. What another wallet paid is out.
    const named = payment.way === 'told' || payment.hash === '' ? {} : { transaction_hash: payment.hash };
    const refused = await this.sendReport(payment, { status: 'signed', ...named });
    if (refused === undefined) return this.change(payment, { reported: 'signed' });
    const isPaid = refused === 'broadcasted' || refused === 'confirmed';
    // If this wallet should have submitted it but never did, somebody else has paid: it must not be paid twice.
    const isOurs = payment.way !== 'network' || payment.attempts > 0;
    if (isPaid && isOurs) return this.change(payment, { reported: 'broadcasted' });
    // It was submitted before a reload and may be in a ledger, so it must be followed to its end.
    if (payment.attempts > 0) return this.change(payment, { reported: 'signed' });
    // Another wallet has paid nevertheless: report the hash, which the service records for later investigation.
    if (payment.way === 'told')
      await this.sendReport(payment, { status: 'broadcasted', transaction_hash: payment.hash });
    return this.change(payment, { outcome: { kind: 'withdrawn', reason: refused }, done: true });
  }

  private async reportOutcome(payment: SignedPayment): Promise<SignedPayment> {
    const { outcome, hash } = payment;
    if (outcome?.kind === 'confirmed') {
      await this.reportBroadcasted(payment);
      const { ledger } = outcome;
      await this.sendReport(payment, {
        status: 'confirmed',
        transaction_hash: hash,
        ...(ledger === undefined ? {} : { ledger }),
      });
    } else if (outcome?.kind === 'failed') {
      await this.sendReport(payment, { status: 'failed', reason: outcome.reason });
    }
    return this.change(payment, { done: true });
  }

  private async reportBroadcasted(payment: SignedPayment): Promise<void> {
    if ((await this.current(payment.key)).reported === 'broadcasted') return;
    await this.sendReport(payment, { status: 'broadcasted', transaction_hash: payment.hash });
    await this.change(payment, { reported: 'broadcasted' });
  }

  private async throughNetwork(payment: SignedPayment): Promise<Outcome | undefined> {
    const { network } = this.ports;
    if (network === undefined) throw new Error('there is no network server');
    let busy = 0;
    /** Whether a submission may have got through: then a later refusal does not mean that no ledger takes it. */
    let mayBeOut = payment.attempts > 0;
    for (let round = 0; ; round += 1) {
      // It may already have been submitted without an answer: look it up first.
      if (round > 0 || payment.attempts > 0) {
        const ended = await this.lookUp(payment);
        if (ended) return ended;
      }
      // The person may have reported in another tab that it is paid elsewhere.
      const stored = await this.current(payment.key);
      if (stored.way !== 'network') return this.outcomeOf(stored);
      payment = await this.change(payment, { attempts: payment.attempts + 1 });
      const answer = await network.submit(payment.xdr, payment.hash);
      if (answer.kind === 'in_ledger') return { kind: 'confirmed', ledger: answer.ledger };
      if (answer.kind === 'taken') await this.reportBroadcasted(payment);
      if (answer.kind === 'refused') {
        if (answer.code === 'tx_insufficient_fee' && (busy += 1) < BUSY_ATTEMPTS) {
          await this.ports.pause(pauseAfter(busy - 1));
          continue;
        }
        const ended = await this.refusal(payment, answer, mayBeOut);
        if (ended) return ended;
      } else mayBeOut = true;
      await this.ports.pause(pauseAfter(round));
    }
  }

  /** A refusal is final, unless an earlier submission of the same transaction caused it or is still in flight. */
  private async refusal(
    payment: SignedPayment,
    answer: Submission & { kind: 'refused' },
    mayBeOut: boolean,
  ): Promise<Outcome | undefined> {
    const reason = [answer.code, ...answer.operations].join(': ');
    const checks = ['tx_bad_seq', 'tx_too_late'].includes(answer.code) ? BAD_SEQUENCE_CHECKS : 1;
    for (let check = 0; check < checks; check += 1) {
      const ended = await this.lookUp(payment);
      if (ended) return ended;
      if (check + 1 < checks && !(await this.sequenceIsSpent(payment))) await this.ports.pause(pauseAfter(check));
    }
    if (!mayBeOut || answer.code === 'tx_too_late') return { kind: 'failed', reason };
    if (!(await this.sequenceIsSpent(payment))) return undefined;
    return (await this.lookUp(payment)) ?? { kind: 'failed', reason };
  }

  /** What the ledgers say about the transaction; also a final outcome if none can include it any more. */
  private async lookUp(payment: SignedPayment): Promise<Outcome | undefined> {
    const { network } = this.ports;
    for (let failures = 0; ; failures += 1) {
      try {
        const over = await this.isOver(payment);
        const found = await network?.find(payment.hash);
        if (found) {
          return found.successful
            ? { kind: 'confirmed', ledger: found.ledger }
            : { kind: 'failed', reason: 'tx_failed' };
        }
        return over ? { kind: 'failed', reason: 'tx_too_late: no ledger took it in time' } : undefined;
      } catch {
        await this.ports.pause(pauseAfter(failures));
      }
    }
  }

  /** Checked before the lookup, so that a ledger that closes in between is included in it. */
  private async isOver({ validUntil, way }: SignedPayment): Promise<boolean> {
    if (way === 'told') return false;
    const seconds = this.ports.now() / 1000;
    if (seconds < validUntil) return false;
    // A clock alone proves nothing: it may just have been set. Without a ledger's time, look again later.
    const newest = await this.ports.network?.newestClose().catch(() => undefined);
    return newest !== undefined && newest > validUntil;
  }

  /** A ledger's accounts and transactions appear together: a spent sequence without ours means another one spent it. */
  private async sequenceIsSpent({ account, sequence }: SignedPayment): Promise<boolean> {
    const known = await this.ports.network?.account(account).catch(() => undefined);
    return known !== undefined && BigInt(known.sequence) >= BigInt(sequence);
  }

  /** Retries until the service answers. Returns the payment's actual status if the service refuses the reported one. */
  private async sendReport(place: PaymentPlace, report: StatusReport): Promise<string | undefined> {
    for (let failures = 0; ; failures += 1) {
      try {
        await this.ports.report(place, report);
        return undefined;
      } catch (error) {
        const status = statusInstead(error);
        if (status !== undefined) return status;
        if (!isPassing(error)) throw error;
        await this.ports.pause(pauseAfter(failures));
      }
    }
  }

  private async current(key: string): Promise<SignedPayment> {
    const payment = await this.ports.outbox.read(key);
    if (payment === undefined) throw new Error('nothing was signed for this payment');
    return payment;
  }

  private async change({ key }: SignedPayment, change: Partial<SignedPayment>): Promise<SignedPayment> {
    const changed = await this.ports.outbox.change(key, change);
    this.ports.onStep?.(changed);
    return changed;
  }
}

const pauseAfter = (failures: number): number => BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;

function statusInstead(error: unknown): string | undefined {
  if (!(error instanceof SvcError) || !['invalid_status_transition', 'request_expired'].includes(error.code)) return;
  const status = error.details['current_status'];
  return typeof status === 'string' ? status : 'expired';
}
