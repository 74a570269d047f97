import { pino } from 'pino';
import { type SettlementWatch } from '../../../projections/settlement-watches.projection';
import { Metrics } from '../../http/operations/metrics';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type Projector } from '../../platform/projecting/projector';
import { type Leadership } from '../../platform/reacting/leadership';
import { type Reactors } from '../../platform/reacting/reactors';
import { type PageRequest, type ReadModel } from '../../platform/read-model/read-model.port';
import { type PaymentRef } from '../../events/settlement-claim.events';
import { type SettlementJudge } from './settlement-judge';
import { SettlementWatcher } from './settlement-watcher';

const NOW = Date.parse('2030-01-01T12:00:00.000Z');
const ago = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();

describe('payments whose transaction is still to be looked up', () => {
  let watches: SettlementWatch[];
  let recorded: string[];
  let failures: number;
  let leads: boolean;
  let watcher: SettlementWatcher;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'], now: NOW });
    [watches, recorded, failures, leads] = [[], [], 0, true];
    /** Two to a page, so that there are several. */
    const find = async (_c: unknown, _i: unknown, _e: unknown, { order, after }: PageRequest) => {
      const begin = after === undefined ? 0 : Number(after.id);
      const sorted = [...watches].sort((one, other) => (one.since < other.since ? -1 : 1));
      const documents = (order === 'desc' ? sorted.reverse() : sorted).slice(begin, begin + 2);
      const next = begin + 2 < sorted.length ? { sort: '', id: String(begin + 2) } : null;
      return { documents, next };
    };
    const payment = {
      facts: { network: 'stellar_testnet' },
      amount: '1',
      ledger: null,
      createdAt: ago(1),
      merchantId: 'mer_1',
      transactionHash: 'ab',
    };
    const witness = { name: 'w', look: async () => ({ kind: 'not_found' }) as const };
    watcher = new SettlementWatcher(
      new Map([['stellar_testnet', witness]]),
      { find } as unknown as ReadModel,
      { head: async () => 1n } as unknown as EventStore,
      { now: () => new Date() },
      pino({ enabled: false }),
      { fold: async () => ({ state: payment, eventId: null }) } as unknown as CommandRunner,
      {
        record: async ({ id }: PaymentRef) => {
          if ((failures -= 1) >= 0) throw new Error('the store is away');
          recorded.push(id);
        },
      } as unknown as SettlementJudge,
      { progress: { passed: async () => undefined } } as unknown as Projector,
      { leads: () => leads } as unknown as Leadership,
      { add: () => undefined } as unknown as Reactors,
      new Metrics(),
    );
  });
  afterEach(async () => {
    await watcher.stop();
    jest.useRealTimers();
  });

  const open = (id: string, since: string): SettlementWatch => ({ id: `payment_request-${id}`, since, open: true });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };
  const started = async (...found: readonly SettlementWatch[]): Promise<void> => {
    watches = [...found];
    watcher.start();
    await settle();
  };

  it('are all found after a restart, unless they are too old', async () => {
    const old = [...'vwxyz'].map((id, index) => open(id, ago(8 * 24 + index)));
    await started(open('c', ago(3)), open('a', ago(1)), ...old, open('b', ago(2)));
    expect(recorded).toEqual(['a', 'b', 'c']);
  });

  it('are looked up again soon after a finding that could not be recorded', async () => {
    failures = 1;
    await started(open('a', ago(0)));
    expect(recorded).toEqual([]);
    await jest.advanceTimersByTimeAsync(5_000);
    await settle();
    expect(recorded).toEqual(['a']);
  });

  it('are left to another instance that has taken over meanwhile', async () => {
    leads = false;
    await started(open('a', ago(0)));
    expect(recorded).toEqual([]);
  });
});
