import { eventually } from '../../../test/support/eventually';
import { StoreUnavailable } from './event-store.port';
import { Writability } from './writability';

describe('whether the event store takes writes', () => {
  let away = false;
  let attempts = 0;
  let writability: Writability;
  beforeEach(() => {
    [away, attempts] = [false, 0];
    writability = new Writability(async () => {
      attempts += 1;
      if (away) throw new StoreUnavailable('unknown');
    });
  });
  afterEach(() => writability.end());

  it('is assumed at first, without a probe', () => {
    expect([writability.now, attempts]).toEqual([true, 0]);
  });

  it('is denied from the first append that finds the store unavailable until a probe succeeds', async () => {
    away = true;
    await expect(writability.watch(Promise.reject(new StoreUnavailable('hanging')))).rejects.toThrow(StoreUnavailable);
    expect(writability.now).toBe(false);
    await eventually(
      async () => attempts,
      (count) => count > 1,
      'more than one try',
    );
    expect(writability.now).toBe(false);
    away = false;
    await eventually(async () => writability.now, Boolean, 'a try that gets through');
  });

  it('is confirmed by any append that succeeds', async () => {
    away = true;
    await expect(writability.check()).rejects.toThrow(StoreUnavailable);
    expect(writability.now).toBe(false);
    await expect(writability.watch(Promise.resolve('written'))).resolves.toBe('written');
    expect(writability.now).toBe(true);
  });

  it('is not denied because an append was refused for its content', async () => {
    await expect(writability.watch(Promise.reject(new RangeError('too large')))).rejects.toThrow(RangeError);
    expect(writability.now).toBe(true);
  });
});
