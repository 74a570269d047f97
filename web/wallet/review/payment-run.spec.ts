import { Keypair } from '@stellar/stellar-base';
import { SvcConnectionError, SvcError } from '../../../sdk/src/errors.ts';
import { type StatusReport } from '../../../sdk/src/types/payment.ts';
import { type Horizon, type Mishap, startHorizon } from '../../../test/web/support/horizon.ts';
import { NetworkServer } from './network-server.ts';
import { type Outbox, paymentKey, type SignedPayment } from './outbox.ts';
import { PaymentRun, type RunPorts } from './payment-run.ts';
import { signPayment } from './payment-transaction.ts';

const seed = new Uint8Array(32).fill(9);
const account = Keypair.fromRawEd25519Seed(Buffer.from(seed)).publicKey();
const facts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  amount: '1',
  to: Keypair.random().publicKey(),
};
const place = { kind: 'request', id: 'pr_1', connectionId: 'con_1' } as const;
const key = paymentKey(place);
const START = Date.parse('2026-01-01T00:00:00Z');

function signed(change: Partial<SignedPayment> = {}): SignedPayment {
  const validUntil = START / 1000 + 300;
  const transaction = signPayment({ facts, source: account, sequence: '4294967297', validFrom: 1, validUntil }, seed);
  const rest = { way: 'network', payee: 'Shop', signedAt: new Date(START).toISOString(), attempts: 0 } as const;
  return { ...place, key, facts, account, ...transaction, validUntil, ...rest, done: false, ...change };
}

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

const refusal = (status: number, code: string, details = {}) =>
  new SvcError({ code, status, message: code, requestId: undefined, details });

describe('a payment on its way', () => {
  let horizon: Horizon;
  let outbox: MemoryOutbox;
  let reports: StatusReport[];
  let clock: number;
  let pauses: number;

  beforeEach(async () => {
    clock = START;
    pauses = 0;
    horizon = await startHorizon({ now: () => clock });
    horizon.fund(account);
    outbox = new MemoryOutbox();
    reports = [];
  });
  afterEach(() => horizon.close());

  const ports = (change: Partial<RunPorts> = {}): RunPorts => ({
    outbox,
    report: async (_place, report) => void reports.push(report),
    network: new NetworkServer({ url: horizon.url }),
    now: () => clock,
    pause: async (milliseconds) => {
      pauses += 1;
      clock += milliseconds;
    },
    ...change,
  });
  const finish = async (change: Partial<RunPorts> = {}) => new PaymentRun(ports(change)).finish(key);
  const statuses = () => reports.map(({ status }) => status);
  const hash = signed().hash;

  it('is reported as signed before it is submitted, then as broadcasted and confirmed', async () => {
    await outbox.add(signed());
    const heard: number[] = [];
    const report = async (_place: unknown, one: StatusReport) => {
      heard.push(horizon.received.length);
      reports.push(one);
    };
    expect(await finish({ report })).toMatchObject({ done: true, outcome: { kind: 'confirmed', ledger: 1001 } });
    expect(heard).toEqual([0, 1, 1]);
    expect(reports).toEqual([
      { status: 'signed', transaction_hash: hash },
      { status: 'broadcasted', transaction_hash: hash },
      { status: 'confirmed', transaction_hash: hash, ledger: 1001 },
    ]);
  });

  it.each<[readonly Mishap[], readonly string[], Partial<SignedPayment>]>([
    [['lost_answer'], ['signed', 'broadcasted', 'confirmed'], { outcome: { kind: 'confirmed', ledger: 1001 } }],
    [
      ['lost_request', 'lost_request'],
      ['signed', 'broadcasted', 'confirmed'],
      { outcome: { kind: 'confirmed', ledger: 1001 } },
    ],
    [['timeout'], ['signed', 'broadcasted', 'confirmed'], { outcome: { kind: 'confirmed', ledger: 1001 } }],
    [['timeout_and_lost'], ['signed', 'broadcasted', 'confirmed'], { outcome: { kind: 'confirmed', ledger: 1001 } }],
    [['away', 'away'], ['signed', 'broadcasted', 'confirmed'], { outcome: { kind: 'confirmed', ledger: 1001 } }],
    [['tx_insufficient_fee'], ['signed', 'broadcasted', 'confirmed'], { outcome: { kind: 'confirmed', ledger: 1001 } }],
    [
      Array<Mishap>(4).fill('tx_insufficient_fee'),
      ['signed', 'failed'],
      { outcome: { kind: 'failed', reason: 'tx_insufficient_fee' } },
    ],
    [['tx_bad_seq'], ['signed', 'failed'], { outcome: { kind: 'failed', reason: 'tx_bad_seq' } }],
    [['op_underfunded'], ['signed', 'failed'], { outcome: { kind: 'failed', reason: 'tx_failed: op_underfunded' } }],
  ])('meets %j and is told as %j', async (mishaps, expected, ending) => {
    await outbox.add(signed());
    horizon.next(...mishaps);
    expect(await finish()).toMatchObject({ done: true, ...ending });
    expect(statuses()).toEqual(expected);
    expect(new Set(horizon.received.map((one) => one.hash)).size).toBeLessThanOrEqual(1);
    expect(horizon.applied.size).toBe(expected.includes('confirmed') ? 1 : 0);
  });

  it('is looked up before it is submitted again: what a ledger has is not submitted twice', async () => {
    await outbox.add(signed());
    horizon.next('lost_answer');
    await finish();
    expect(horizon.received).toHaveLength(1);
  });

  it('fails at once when another transaction has spent its sequence', async () => {
    await outbox.add(signed());
    const other = { ...facts, amount: '2' };
    const plan = {
      facts: other,
      source: account,
      sequence: '4294967297',
      validFrom: 1,
      validUntil: START / 1000 + 300,
    };
    const { xdr, hash: otherHash } = signPayment(plan, seed);
    await new NetworkServer({ url: horizon.url }).submit(xdr, otherHash);
    expect(await finish()).toMatchObject({ outcome: { kind: 'failed', reason: 'tx_bad_seq' } });
    expect([horizon.applied.has(hash), pauses]).toEqual([false, 0]);
    expect(reports).toEqual([
      { status: 'signed', transaction_hash: hash },
      { status: 'failed', reason: 'tx_bad_seq' },
    ]);
  });

  it('fails when it has expired and no ledger has it', async () => {
    await outbox.add(signed());
    horizon.next(...Array<Mishap>(200).fill('timeout_and_lost'));
    expect(await finish()).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringContaining('tx_too_late') },
    });
    expect(statuses()).toEqual(['signed', 'broadcasted', 'failed']);
  });

  it('resumes after an interruption at any step, with the same transaction', async () => {
    // The page dies after each call to the service or the network in turn.
    for (let lastStep = 1; lastStep <= 12; lastStep += 1) {
      await horizon.close();
      horizon = await startHorizon({ now: () => clock });
      horizon.fund(account);
      outbox = new MemoryOutbox();
      reports = [];
      await outbox.add(signed());
      let steps = 0;
      const die = <T>(result: Promise<T>): Promise<T> =>
        result.then((value) => ((steps += 1) === lastStep ? Promise.reject(new Error('the tab is gone')) : value));
      const network = new NetworkServer({ url: horizon.url });
      const dying = {
        report: (_place: unknown, report: StatusReport) => die(Promise.resolve(void reports.push(report))),
        network: {
          submit: (xdr: string, name: string) => die(network.submit(xdr, name)),
          find: (name: string) => network.find(name),
          account: (name: string) => network.account(name),
          newestClose: () => network.newestClose(),
        },
      };
      await finish(dying).catch((error: Error) => expect(error.message).toBe('the tab is gone'));
      expect(await finish()).toMatchObject({ done: true, outcome: { kind: 'confirmed', ledger: 1001 } });
      expect([...new Set(statuses())]).toEqual(['signed', 'broadcasted', 'confirmed']);
      expect([...horizon.applied.keys()]).toEqual([hash]);
      expect(new Set(horizon.received.map((one) => one.hash))).toEqual(new Set([hash]));
    }
  });

  it('waits for the service and for the network, however long they are unavailable', async () => {
    await outbox.add(signed());
    let away = 3;
    horizon.down(true);
    const pause = async (milliseconds: number) => {
      clock += milliseconds / 1000;
      pauses += 1;
      if (pauses === 8) horizon.down(false);
    };
    const report = async (_place: unknown, one: StatusReport) => {
      if ((away -= 1) >= 0)
        throw away === 1 ? refusal(503, 'store_unavailable') : new SvcConnectionError('gone', undefined);
      reports.push(one);
    };
    expect(await finish({ report, pause })).toMatchObject({ outcome: { kind: 'confirmed' } });
    expect(statuses()).toEqual(['signed', 'broadcasted', 'confirmed']);
  });

  it.each([
    ['request_expired', 'expired'],
    ['invalid_status_transition', 'rejected'],
    // Somebody else has paid it: this one was never submitted.
    ['invalid_status_transition', 'broadcasted'],
    ['invalid_status_transition', 'confirmed'],
  ])('is withdrawn and never sent if the service refuses it with %s', async (code, current_status) => {
    await outbox.add(signed());
    const report = async () => Promise.reject(refusal(409, code, { current_status }));
    const withdrawn = { kind: 'withdrawn', reason: current_status };
    expect(await finish({ report })).toMatchObject({ done: true, outcome: withdrawn });
    expect(horizon.received).toEqual([]);
  });

  it('is left unchanged when the device is refused, to be resumed later', async () => {
    await outbox.add(signed());
    const report = async () => Promise.reject(refusal(401, 'invalid_token'));
    await expect(finish({ report })).rejects.toThrow('invalid_token');
    expect([horizon.received, outbox.all.get(key)?.done]).toEqual([[], false]);
  });

  it('without a network server ends as signed, and waits for the person', async () => {
    await outbox.add(signed({ way: 'elsewhere' }));
    expect(await finish({ network: undefined })).toMatchObject({ done: false, reported: 'signed' });
    expect(reports).toEqual([{ status: 'signed', transaction_hash: hash }]);
    await outbox.change(key, { way: 'told', hash: 'ab'.repeat(32) });
    await finish({ network: undefined });
    expect(reports.slice(1)).toEqual([{ status: 'broadcasted', transaction_hash: 'ab'.repeat(32) }]);
  });

  it('that the person made elsewhere is confirmed once a ledger has it', async () => {
    const { xdr } = signed();
    // Another wallet's transaction has a time bound of its own, which this one does not know.
    await outbox.add(signed({ way: 'told', xdr: '', validUntil: 0 }));
    const pause = async () => {
      pauses += 1;
      if (pauses === 3) await new NetworkServer({ url: horizon.url }).submit(xdr, hash);
    };
    expect(await finish({ pause })).toMatchObject({ done: true, outcome: { kind: 'confirmed', ledger: 1001 } });
    expect(statuses()).toEqual(['signed', 'broadcasted', 'confirmed']);
  });

  it('that the person made elsewhere is reported with its hash even when the request has ended', async () => {
    await outbox.add(signed({ way: 'told', xdr: '' }));
    const report = async (_: unknown, told: StatusReport) => {
      reports.push(told);
      throw refusal(409, 'request_expired', { current_status: 'expired' });
    };
    expect(await finish({ report })).toMatchObject({ outcome: { kind: 'withdrawn', reason: 'expired' } });
    expect(reports).toEqual([{ status: 'signed' }, { status: 'broadcasted', transaction_hash: hash }]);
  });

  it.each(['broadcasted', 'confirmed'])(
    'that the person made elsewhere is followed to its ledger if the service has it as %s already',
    async (current_status) => {
      const { xdr } = signed();
      await new NetworkServer({ url: horizon.url }).submit(xdr, hash);
      await outbox.add(signed({ way: 'told', xdr: '' }));
      const report = async (_: unknown, one: StatusReport) => {
        reports.push(one);
        if (one.status === 'signed') throw refusal(409, 'invalid_status_transition', { current_status });
      };
      expect(await finish({ report })).toMatchObject({ done: true, outcome: { kind: 'confirmed', ledger: 1001 } });
      expect(statuses()).toEqual(['signed', 'confirmed']);
    },
  );

  it('is reported in practice mode without being submitted', async () => {
    await outbox.add(signed({ way: 'practice' }));
    expect(await finish()).toMatchObject({ done: true, outcome: { kind: 'confirmed' } });
    expect(statuses()).toEqual(['signed', 'broadcasted', 'confirmed']);
    expect(horizon.received).toEqual([]);
  });
});
