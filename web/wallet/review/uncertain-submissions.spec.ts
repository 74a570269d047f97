import { Keypair } from '@stellar/stellar-base';
import { type StatusReport } from '../../../sdk/src/types/payment.ts';
import { type Submission } from './network-server.ts';
import { type Outbox, paymentKey, type SignedPayment } from './outbox.ts';
import { PaymentRun, type RunPorts } from './payment-run.ts';

const place = { kind: 'request', id: 'pr_1', connectionId: 'con_1' } as const;
const key = paymentKey(place);
const START = Date.parse('2026-01-01T00:00:00Z');
const OURS = 'a'.repeat(64);
const facts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  amount: '1',
  to: Keypair.random().publicKey(),
};
const signed = (change: Partial<SignedPayment> = {}): SignedPayment => ({
  ...place,
  key,
  facts,
  account: 'G',
  sequence: '11',
  xdr: 'XDR',
  hash: OURS,
  validUntil: START / 1000 + 300,
  way: 'network',
  payee: 'Shop',
  signedAt: '',
  attempts: 0,
  done: false,
  ...change,
});

class MemoryOutbox implements Outbox {
  readonly all = new Map<string, SignedPayment>();
  async add(payment: SignedPayment) {
    if (!this.all.has(payment.key)) this.all.set(payment.key, payment);
    return this.all.get(payment.key)!;
  }
  async read(name: string) {
    return this.all.get(name);
  }
  async list() {
    return [...this.all.values()];
  }
  async change(name: string, change: Partial<SignedPayment>) {
    const changed = { ...this.all.get(name)!, ...change };
    this.all.set(name, changed);
    return changed;
  }
}

function world(answers: readonly (Submission | (() => Submission | Promise<Submission>))[], appliedAt = Infinity) {
  const outbox = new MemoryOutbox();
  const reports: StatusReport[] = [];
  const state = { clock: START, submitted: 0 };
  const left = [...answers];
  const isIn = () => state.clock >= appliedAt;
  const ports: RunPorts = {
    outbox,
    report: async (_place, report) => void reports.push(report),
    network: {
      submit: async () => {
        state.submitted += 1;
        const next = left.length > 1 ? left.shift()! : left[0]!;
        return typeof next === 'function' ? next() : next;
      },
      find: async (hash) => (hash === OURS && isIn() ? { ledger: 7, successful: true } : undefined),
      account: async () => ({ sequence: isIn() ? '11' : '10', balances: [] }),
      newestClose: async () => state.clock / 1000,
    },
    now: () => state.clock,
    pause: async (ms) => void (state.clock += ms),
  };
  return { outbox, reports, state, ports };
}
const taken: Submission = { kind: 'taken' };
const lost: Submission = { kind: 'unknown', why: 'timeout' };
const refused = (code: string): Submission => ({ kind: 'refused', code, operations: [] });

describe('a transaction that may have got through', () => {
  it.each([
    ['accepted (504), then this server evicts it: tx_insufficient_fee', [taken, refused('tx_insufficient_fee')]],
    ['lost answer, then another node is busy: tx_insufficient_fee', [lost, refused('tx_insufficient_fee')]],
    ['lost answer, then a proxy says 400 without result codes', [lost, refused('tx_malformed')]],
    ['accepted, then a lagging server: tx_bad_seq', [taken, refused('tx_bad_seq')]],
  ])('never calls failed what may still get into a ledger: %s', async (_name, answers) => {
    // A ledger takes it a minute later, well before its time bound of five.
    const { outbox, reports, ports } = world(answers, START + 60_000);
    await outbox.add(signed());
    await new PaymentRun(ports).finish(key);
    expect(reports.map(({ status }) => status)).toEqual(['signed', 'broadcasted', 'confirmed']);
  });

  it('after a reload, too', async () => {
    const { outbox, reports, ports } = world([refused('tx_insufficient_fee')], START + 60_000);
    await outbox.add(signed({ attempts: 1, reported: 'signed' }));
    await new PaymentRun(ports).finish(key);
    expect(reports.map(({ status }) => status)).toEqual(['broadcasted', 'confirmed']);
  });

  it.each([
    ['follows it to its ledger', START + 60_000, 8],
    ['looks it up first, and does not submit it again', START, 1],
  ])('whose page was closed during the submission: the next one %s', async (_name, appliedAt, submissions) => {
    const closed = (): Submission => {
      throw new Error('closed');
    };
    const { outbox, reports, ports, state } = world([closed, refused('tx_insufficient_fee')], appliedAt);
    await outbox.add(signed());
    await expect(new PaymentRun(ports).finish(key)).rejects.toThrow('closed');
    await new PaymentRun(ports).finish(key);
    expect(reports.map(({ status }) => status)).toEqual(['signed', 'broadcasted', 'confirmed']);
    expect(state.submitted).toBe(submissions);
  });

  it('stops submitting once the person reported in another window that it is paid elsewhere', async () => {
    const told = async (): Promise<Submission> => {
      // What tellPaid() in another window writes; that window shows "I have paid" while this one is under way.
      await w.outbox.change(key, { hash: 'b'.repeat(64), way: 'told', done: false });
      return lost;
    };
    const w = world([told, lost, lost, { kind: 'in_ledger', ledger: 9 }]);
    await w.outbox.add(signed());
    w.ports.network!.find = async (hash) => (hash === 'b'.repeat(64) ? { ledger: 8, successful: true } : undefined);
    let pauses = 0;
    const run = new PaymentRun({
      ...w.ports,
      pause: async () => {
        if (++pauses > 10) throw new Error('enough');
      },
    });
    await run.finish(key).catch(() => undefined);
    expect(w.state.submitted).toBe(1);
  });

  it('fails once a ledger has closed after its time bound, without another submission being refused', async () => {
    const { outbox, reports, ports, state } = world([taken]);
    await outbox.add(signed());
    const pause = async (ms: number): Promise<void> => {
      await ports.pause(ms);
      if (state.clock > START + 3600_000) throw new Error('it never ends');
    };
    await new PaymentRun({ ...ports, pause }).finish(key);
    const reason = 'tx_too_late: no ledger took it in time';
    expect(reports).toEqual([
      { status: 'signed', transaction_hash: OURS },
      { status: 'broadcasted', transaction_hash: OURS },
      { status: 'failed', reason },
    ]);
    expect(state.clock).toBeLessThan(START + 330_000);
  });

  it('fails if a ledger includes it as failed', async () => {
    const { outbox, reports, ports } = world([lost]);
    ports.network!.find = async () => ({ ledger: 7, successful: false });
    await outbox.add(signed());
    await new PaymentRun(ports).finish(key);
    expect(reports).toEqual([
      { status: 'signed', transaction_hash: OURS },
      { status: 'failed', reason: 'tx_failed' },
    ]);
  });

  it('does not call a payment failed by the clock alone, when the network names no ledger', async () => {
    // The device's clock was set two hours ahead during the run; the newest ledger could not be read this once.
    const { outbox, reports, ports, state } = world([taken], START + 2 * 3600_000 + 30_000);
    await outbox.add(signed());
    let asked = 0;
    ports.network!.newestClose = async () => {
      if ((asked += 1) === 1) throw new Error('HTTP 429');
      return START / 1000 + 10;
    };
    const pause = ports.pause;
    let isSet = false;
    await new PaymentRun({
      ...ports,
      pause: async (ms) => {
        await pause(ms);
        if (!isSet) {
          isSet = true;
          state.clock += 2 * 3600_000;
        }
      },
    }).finish(key);
    expect(reports.map(({ status }) => status)).toEqual(['signed', 'broadcasted', 'confirmed']);
  });
});
