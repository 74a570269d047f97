import { type EndpointId } from '../../kernel/aggregates';
import { StoreUnavailable } from '../../platform/event-store/event-store.port';
import { type Shares } from '../../platform/reacting/shares';
import { Recording } from './recording';

describe('outcomes that are still to be recorded at a stop', () => {
  const endpointId = 'whe_1' as EndpointId;
  const shares = { holds: () => true, mayHold: () => true } as unknown as Shares;
  const stopped = AbortSignal.abort();
  const recording = (): Recording => new Recording({ warn: () => undefined }, shares);

  it('are tried once more, and not one after another while the store is away: each try may take seconds', async () => {
    const write = jest.fn().mockRejectedValue(new StoreUnavailable('hanging'));
    const records = recording();
    for (let batch = 0; batch < 8; batch += 1)
      expect(await records.untilDone(endpointId, write, stopped, () => undefined)).toBeUndefined();
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('are all recorded while the store takes them, also beside one that fails for another reason', async () => {
    const records = recording();
    const broken = () => Promise.reject(new Error('a defect'));
    expect(await records.untilDone(endpointId, broken, stopped, () => undefined)).toBeUndefined();
    for (const done of [1, 2]) expect(await records.untilDone(endpointId, async () => done, stopped)).toBe(done);
  });
});
