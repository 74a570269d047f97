import { Cutoff } from './cutoff';
import { type EgressError } from './egress-error';

describe('the end of a request', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const listening = (cutoff: Cutoff): EgressError[] => {
    const told: EgressError[] = [];
    cutoff.listen((reason) => told.push(reason));
    return told;
  };
  const kinds = (told: readonly EgressError[]): readonly string[] => told.map(({ kind }) => kind);

  it('is its timeout or its caller, whichever comes first, and is told once', () => {
    const caller = new AbortController();
    const late = new Cutoff(100, caller.signal);
    const told = listening(late);
    jest.advanceTimersByTime(99);
    expect([told, late.reason]).toEqual([[], undefined]);
    jest.advanceTimersByTime(1);
    caller.abort();
    expect(kinds(told)).toEqual(['timeout']);

    const cancelled = new Cutoff(100, new AbortController().signal);
    expect(() => cancelled.throwIfEnded()).not.toThrow();
    const leaving = new AbortController();
    const left = new Cutoff(100, leaving.signal);
    const toldToo = listening(left);
    leaving.abort();
    jest.advanceTimersByTime(1000);
    expect(kinds(toldToo)).toEqual(['cancelled']);
    expect(() => left.throwIfEnded()).toThrow(left.reason);
  });

  it('has come already if the caller has left', () => {
    const cutoff = new Cutoff(100, AbortSignal.abort());
    expect(cutoff.reason?.kind).toBe('cancelled');
    expect(cutoff.signal().reason).toBe(cutoff.reason);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('aborts the signals made for it', () => {
    const cutoff = new Cutoff(100, undefined);
    const signal = cutoff.signal();
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(100);
    expect(signal.reason).toBe(cutoff.reason);
  });

  it('does not reach listeners that left meanwhile, and reaches all the others', () => {
    const cutoff = new Cutoff(100, undefined);
    const told: string[] = [];
    const leaver = (): number => told.push('leaver');
    cutoff.listen(leaver);
    cutoff.listen(() => told.push('stayer'));
    cutoff.ignore(leaver);
    jest.advanceTimersByTime(100);
    expect(told).toEqual(['stayer']);
  });

  it('does not come after the release, which leaves neither timer nor listener', () => {
    const caller = new AbortController();
    const removed = jest.spyOn(caller.signal, 'removeEventListener');
    const cutoff = new Cutoff(100, caller.signal);
    const told = listening(cutoff);
    cutoff.release();
    expect(jest.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(1);
    caller.abort();
    expect([told, cutoff.reason]).toEqual([[], undefined]);
  });
});
