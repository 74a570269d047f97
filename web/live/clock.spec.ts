import { noteServiceTime, serviceNow } from './clock.ts';

const HOUR = 3_600_000;
const at = (time: number): string => new Date(time).toUTCString();

describe('the clock of the service', () => {
  afterEach(() => jest.useRealTimers());

  it('is the device’s own while they agree', () => {
    jest.useFakeTimers({ now: 1_800_000_000_400 });
    noteServiceTime(at(1_800_000_000_000), Date.now() - 300, Date.now());
    expect(serviceNow()).toBe(Date.now());
  });

  it.each([-5 * HOUR, 7 * HOUR])(
    'is followed when the device is wrong by %i ms, and let go when it is right again',
    (off) => {
      const real = 1_800_000_000_000;
      jest.useFakeTimers({ now: real + off });
      noteServiceTime(at(real), Date.now(), Date.now());
      expect(Math.abs(serviceNow() - real)).toBeLessThanOrEqual(1_000);
      jest.setSystemTime(real);
      noteServiceTime(at(real), Date.now(), Date.now());
      expect(serviceNow()).toBe(real);
    },
  );

  it('does not move when an answer has no date', () => {
    // A millisecond may begin between two looks at a clock that moves.
    jest.useFakeTimers({ now: 1_800_000_000_000 });
    const before = serviceNow() - Date.now();
    noteServiceTime(null, 0, 0);
    noteServiceTime('nonsense', 0, 0);
    expect(serviceNow() - Date.now()).toBe(before);
  });
});
