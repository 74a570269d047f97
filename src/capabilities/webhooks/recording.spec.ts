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
