import { serviceNow } from '../../live/clock.ts';
import { network } from '../device/network.ts';
import { type Account, outbox } from '../device/storage.ts';
import { type Unlocked, wallet } from '../device/wallet.ts';
import { NetworkAway } from './network-server.ts';
import { type Outbox, paymentKey, type PaymentPlace, type SignedPayment } from './outbox.ts';
import { PaymentRun } from './payment-run.ts';
import { patience, type Payment } from './payments.ts';
import { stillAsShown } from './still-as-shown.ts';

/** With a network server a payment is in a ledger within seconds, so the transaction expires soon after. */
const MAX_VALID_SECONDS = 300;
const MIN_VALID_SECONDS = 60;

export class NotFunded extends Error {
  constructor() {
    super('The account that pays does not exist on the network yet. Fund it on the Keys page first.');
    this.name = 'NotFunded';
  }
}

/** Payments in progress or finished in this wallet, for the pages. */
class OutboxView {
  #payments: ReadonlyMap<string, SignedPayment> = new Map();
  readonly #listeners = new Set<() => void>();

  get payments(): ReadonlyMap<string, SignedPayment> {
    return this.#payments;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  show(...payments: readonly SignedPayment[]): void {
    this.#payments = new Map([...this.#payments, ...payments.map((one) => [one.key, one] as const)]);
    for (const listener of this.#listeners) listener();
  }

  empty(): void {
    this.#payments = new Map();
  }
}

export const outboxView = new OutboxView();

const shown: Outbox = {
  ...outbox,
  add: async (payment) => {
    const kept = await outbox.add(payment);
    outboxView.show(kept);
    return kept;
  },
  change: async (key, change) => {
    const changed = await outbox.change(key, change);
    outboxView.show(changed);
    return changed;
  },
};

/** Signs what was approved, stores it, and carries it through. A second call continues with what was signed first. */
export async function approve(
  unlocked: Unlocked,
  payment: Payment,
  account: Account,
  sequence?: string,
): Promise<void> {
  await alone(account.address, unlocked.ended, async () => {
    const key = paymentKey(payment);
    if ((await outbox.read(key)) === undefined) {
      await stillAsShown(unlocked, payment);
      await sign(payment, account, sequence);
    }
    // Another tab may already have finished the payment; show its result here, too.
    outboxView.show(await runToEnd(unlocked, key));
  });
}

/** Paid another way: by another wallet, or with what was signed here and submitted elsewhere. */
export async function reportPaid(unlocked: Unlocked, payment: Payment, hash: string): Promise<void> {
  const key = paymentKey(payment);
  const paidElsewhere = { hash, way: 'told', done: false } as const;
  const kept = await shown.add({ ...unsigned(payment), ...paidElsewhere });
  // Signed here, perhaps in another window: its hash must not be lost, and it must not be paid twice.
  if (kept.way === 'network') throw new Error('This wallet is already paying it. Nothing was changed.');
  // The hash may have been mistyped the first time.
  await shown.change(key, paidElsewhere);
  await runToEnd(unlocked, key);
}

/** Reports the payment as if it had happened. Only without a network server, where nothing real can happen. */
export async function practise(unlocked: Unlocked, payment: Payment): Promise<void> {
  const key = paymentKey(payment);
  if (network !== undefined) throw new Error('This wallet has a network server: nothing is practice here.');
  await shown.change(key, { way: 'practice' });
  await runToEnd(unlocked, key);
}

/** The person has seen the payment in a ledger, which this wallet cannot do. */
export async function reportArrived(unlocked: Unlocked, payment: Payment): Promise<void> {
  const key = paymentKey(payment);
  await shown.change(key, { outcome: { kind: 'confirmed' }, done: false });
  await runFor(unlocked).finish(key);
}

/** After unlocking: resumes everything that was interrupted. */
export async function resume(unlocked: Unlocked): Promise<void> {
  outboxView.empty();
  const kept = await outbox.list();
  outboxView.show(...kept);
  const open = kept.filter(({ done }) => !done);
  await Promise.all(open.map((payment) => resumePayment(unlocked, payment)));
}

/** Resumes one payment. Errors are shown with the payment. */
export async function resumePayment(unlocked: Unlocked, { key, account }: SignedPayment): Promise<void> {
  // A payment by another wallet has no account here, so it needs no lock on one.
  await alone(account || key, unlocked.ended, () => runToEnd(unlocked, key)).catch(() => undefined);
}

/** By now the form or button that began it has left the page, so an error is kept with the payment. */
async function runToEnd(unlocked: Unlocked, key: string): Promise<SignedPayment> {
  troubles.set(key, undefined);
  try {
    return await runFor(unlocked).finish(key);
  } catch (error) {
    if (!unlocked.ended.aborted) troubles.set(key, error);
    throw error;
  }
}

/** Errors that stopped payments on their way. */
class Troubles {
  readonly #errors = new Map<string, unknown>();

  set(key: string, error: unknown): void {
    this.#errors.set(key, error);
    outboxView.show();
  }

  of = (place: PaymentPlace): unknown => this.#errors.get(paymentKey(place));
}

export const troubles = new Troubles();

async function sign(payment: Payment, account: Account, given: string | undefined): Promise<void> {
  const [{ randomStart, signPayment }, { accountSeed }] = await Promise.all([
    import('./payment-transaction.ts'),
    import('../keys/recovery-words.ts'),
  ]);
  const sequence = network === undefined ? (given ?? '1') : await nextSequence(account.address);
  // An hour behind, so that a ledger whose clock is behind takes it too.
  const bounds = { validFrom: randomStart(Math.floor(serviceNow() / 1000) - 3_600), validUntil: endOf(payment) };
  const plan = { facts: payment.facts, source: account.address, sequence, ...bounds };
  const transaction = await wallet.withWords((words) => {
    const seed = accountSeed(words, account.index);
    try {
      return signPayment(plan, seed);
    } finally {
      seed.fill(0);
    }
  });
  await shown.add({
    ...unsigned(payment),
    ...transaction,
    account: account.address,
    validUntil: plan.validUntil,
    way: network === undefined ? 'elsewhere' : 'network',
  });
}

async function nextSequence(address: string): Promise<string> {
  const account = await network?.account(address).catch((error: unknown) => {
    if (error instanceof NetworkAway) throw new NetworkAway(error.cause, 'Nothing was signed or sent.');
    throw error;
  });
  if (account === undefined) throw new NotFunded();
  return (BigInt(account.sequence) + 1n).toString();
}

/** By the service's clock, as the device's may be wrong; not after the request expires, but with time to arrive. */
function endOf({ expiresAt }: Payment): number {
  const now = Math.floor(serviceNow() / 1000);
  const end = Math.floor(Date.parse(expiresAt) / 1000);
  return Math.max(now + MIN_VALID_SECONDS, network === undefined ? end : Math.min(end, now + MAX_VALID_SECONDS));
}

const unsigned = (payment: Payment): SignedPayment => ({
  kind: payment.kind,
  id: payment.id,
  connectionId: payment.connectionId,
  key: paymentKey(payment),
  facts: payment.facts,
  payee: payment.payee.name,
  account: '',
  sequence: '',
  xdr: '',
  hash: '',
  validUntil: 0,
  signedAt: new Date(serviceNow()).toISOString(),
  way: 'told',
  attempts: 0,
  done: false,
});

const runFor = ({ client, ended }: Unlocked): PaymentRun =>
  new PaymentRun({
    outbox: shown,
    network,
    now: serviceNow,
    pause: patience(ended),
    report: async ({ kind, id, connectionId }, report) => {
      ended.throwIfAborted();
      if (kind === 'agent_payment') await client.reportAgentPayment(id, report);
      else await client.reportPaymentRequest(id, report, { connectionId });
    },
  });

/** One payment per account at a time, across all tabs: two would take the same sequence number. */
async function alone<T>(account: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? locks.request(`svc-wallet-${account}`, { signal }, work) : work();
}
