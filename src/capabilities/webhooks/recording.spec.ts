import { type EndpointId } from '../../kernel/aggregates';
import { StoreUnavailable } from '../../platform/event-store/event-store.port';
import { type Shares } from '../../platform/reacting/shares';
import { Recording } from './recording';

describe('outcomes that are still to be recorded at a stop', () => {
  const endpointId = 'whe_1' as EndpointId;
  const shares = { holds: () => true, mayHold: () => true } as unknown as Shares;
  const stopped = AbortSignal.abort();
  const recording = (): Recording => new Recording({ warn: () => undefined }, shares);

  it('are tried once more, and not one after another while the store is unavailable: each attempt may take seconds', async () => {
    const write = jest.fn().mockRejectedValue(new StoreUnavailable('hanging'));
    const records = recording();
    for (let batch = 0; batch < 8; batch += 1)
      expect(await records.retryUntilRecorded(endpointId, write, stopped, () => undefined)).toBeUndefined();
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('are tried although one of them was waiting for the store: it may be back by now', async () => {
    const stop = new AbortController();
    const records = recording();
    const failing = jest.fn().mockRejectedValue(new StoreUnavailable('hanging'));
    const first = records.retryUntilRecorded(endpointId, failing, stop.signal, () => undefined);
    while (records.isWorking) await new Promise(setImmediate);
    stop.abort();
    expect([await first, failing.mock.calls.length]).toEqual([undefined, 1]);
    expect(await records.retryUntilRecorded(endpointId, async () => 1, stop.signal)).toBe(1);
  });

  it('are not tried after one that the store has left waiting since before the stop', async () => {
    const stop = new AbortController();
    const records = recording();
    const hanging = async () => {
      stop.abort();
      throw new StoreUnavailable('hanging');
    };
    expect(await records.retryUntilRecorded(endpointId, hanging, stop.signal, () => undefined)).toBeUndefined();
    const write = jest.fn();
    expect(await records.retryUntilRecorded(endpointId, write, stop.signal)).toBeUndefined();
    expect(write).not.toHaveBeenCalled();
  });

  it('are all recorded while the store takes them, also beside one that fails for another reason', async () => {
    const records = recording();
    const broken = () => Promise.reject(new Error('a defect'));
    expect(await records.retryUntilRecorded(endpointId, broken, stopped, () => undefined)).toBeUndefined();
    for (const done of [1, 2])
      expect(await records.retryUntilRecorded(endpointId, async () => done, stopped)).toBe(done);
  });
});

describe('outcomes that cannot be recorded yet', () => {
  const endpointId = 'whe_1' as EndpointId;
  const lease = { holds: true, mayHold: true };
  const shares = { holds: () => lease.holds, mayHold: () => lease.mayHold } as unknown as Shares;
  const { signal } = new AbortController();
  let records: Recording;
  const recovered = jest.fn();
  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(lease, { holds: true, mayHold: true });
    records = new Recording({ warn: () => undefined }, shares);
    recovered.mockReset();
    records.onRecovered(recovered);
  });
  afterEach(() => void jest.useRealTimers());

  it('hold up all sending until the store takes them, and are tried at growing intervals', async () => {
    const write = jest.fn().mockRejectedValue(new StoreUnavailable('hanging'));
    const onStuck = jest.fn();
    const done = records.retryUntilRecorded(endpointId, write, signal, onStuck);
    for (const [after, calls] of [
      [0, 1],
      [99, 1],
      [1, 2],
      [199, 2],
      [1, 3],
      // 400 ms, 800 ms and so on, and then every five seconds.
      [60_000, 17],
      [1_000, 18],
      [4_999, 18],
    ] as const) {
      await jest.advanceTimersByTimeAsync(after);
      expect([write.mock.calls.length, records.isWorking, records.stuck]).toEqual([calls, false, 0]);
    }
    write.mockResolvedValue('position');
    await jest.advanceTimersByTimeAsync(5_000);
    expect([await done, records.isWorking, recovered.mock.calls.length]).toEqual(['position', true, 1]);
    expect(onStuck).not.toHaveBeenCalled();
  });

  it('wait for a lease that is not confirmed, and are given up if another instance has it', async () => {
    const write = jest.fn().mockResolvedValue('position');
    lease.holds = false;
    const waiting = records.retryUntilRecorded(endpointId, write, signal);
    await jest.advanceTimersByTimeAsync(0);
    expect([write.mock.calls.length, records.isWorking]).toEqual([0, false]);
    lease.holds = true;
    await jest.advanceTimersByTimeAsync(100);
    expect(await waiting).toBe('position');

    Object.assign(lease, { holds: false });
    const lost = records.retryUntilRecorded(endpointId, write, signal);
    lease.mayHold = false;
    await jest.advanceTimersByTimeAsync(100);
    expect([await lost, write.mock.calls.length, records.isWorking]).toEqual([undefined, 1, true]);
  });

  it('hold up nothing else if the store is not the reason', async () => {
    const write = jest.fn().mockRejectedValue(new Error('a defect'));
    const onStuck = jest.fn();
    const done = records.retryUntilRecorded(endpointId, write, signal, onStuck);
    await jest.advanceTimersByTimeAsync(0);
    expect([records.isWorking, records.stuck, onStuck.mock.calls.length]).toEqual([true, 1, 1]);
    write.mockResolvedValue('position');
    await jest.advanceTimersByTimeAsync(100);
    expect([await done, records.stuck]).toEqual(['position', 0]);
    expect(recovered).not.toHaveBeenCalled();
  });

  it('are given up at once if the store is not the reason and nobody waits for them', async () => {
    const write = jest.fn().mockRejectedValue(new Error('a defect'));
    expect(await records.retryUntilRecorded(endpointId, write, signal)).toBeUndefined();
    expect([write.mock.calls.length, records.stuck]).toEqual([1, 0]);
  });
});
