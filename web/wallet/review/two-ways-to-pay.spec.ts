import { type SignedPayment } from './outbox.ts';
import { type Payment } from './payments.ts';
import { type Unlocked } from '../device/wallet.ts';

const all = new Map<string, SignedPayment>();
jest.mock('../device/network.ts', () => ({
  network: { find: async () => ({ ledger: 5, successful: true }), newestClose: async () => 0 },
}));
jest.mock('../device/wallet.ts', () => ({ wallet: {} }));
jest.mock('../../live/clock.ts', () => ({ serviceNow: () => 0 }));
jest.mock('../device/storage.ts', () => ({
  outbox: {
    read: async (key: string) => all.get(key),
    list: async () => [...all.values()],
    add: async (one: SignedPayment) => (all.has(one.key) ? all.get(one.key) : (all.set(one.key, one), one)),
    change: async (key: string, change: object) => {
      const changed = { ...all.get(key)!, ...change };
      all.set(key, changed);
      return changed;
    },
  },
}));

it('keeps hash and way of what another window has signed and submitted', async () => {
  Object.assign(globalThis, {
    window: { addEventListener: () => undefined, removeEventListener: () => undefined },
  });
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  const { reportPaid } = await import('./approve.ts');
  const payment = {
    kind: 'request',
    id: 'pr_1',
    connectionId: 'con_1',
    payee: { name: 'Shop' },
    facts: {},
  } as unknown as Payment;
  const key = 'request con_1 pr_1';
  const ours = {
    key,
    kind: 'request',
    id: 'pr_1',
    connectionId: 'con_1',
    way: 'network',
    xdr: 'XDR',
    hash: 'a'.repeat(64),
    attempts: 1,
    reported: 'signed',
    done: false,
  };
  all.set(key, ours as unknown as SignedPayment);
  const client = { reportPaymentRequest: async () => undefined };
  await reportPaid(
    { client, ended: new AbortController().signal } as unknown as Unlocked,
    payment,
    'b'.repeat(64),
  ).catch(() => undefined);
  expect(all.get(key)).toMatchObject({ way: 'network', hash: 'a'.repeat(64) });
});
