import { SetBackClock } from './set-back-clock';

const at = (seconds: number): Date => new Date(Date.parse('2030-01-01T00:00:00.000Z') + seconds * 1_000);
const text = (seconds: number): string => at(seconds).toISOString();

describe('a clock that may be set back', () => {
  let steady = 1_000_000;
  const clock = new SetBackClock(() => steady);
  /** Some time later, by both clocks, or the wall clock to and fro. */
  const pass = (seconds: number, wall: number): void => {
    steady += seconds * 1_000;
    clock.look(at(wall));
  };

  it('decides on what waits since a time that has come', () => {
    clock.look(at(0));
    expect(clock.dueBy(text(0), text(5), at(0))).toBeUndefined();
    pass(10, 10);
    expect(clock.dueBy(text(10), text(15), at(10))).toBeUndefined();
  });

  it('lets what was recorded before wait as long as it was to wait, from when it was set back', () => {
    pass(1, 56);
    pass(1, 57);
    pass(0, 12);
    const setBackAt = steady;
    pass(1, 13);
    expect(clock.dueBy(text(57), text(62), at(13))).toBe(setBackAt + 5_000);
    expect(clock.hasReached(setBackAt + 5_000)).toBe(false);
    pass(4, 17);
    expect(clock.hasReached(setBackAt + 5_000)).toBe(true);
    expect(clock.dueBy(text(17), text(22), at(17))).toBeUndefined();
  });

  it('counts from now if it was not set back lately: another instance may be ahead', () => {
    pass(30, 47);
    pass(31, 78);
    expect(clock.dueBy(text(79), text(84), at(78))).toBe(steady + 5_000);
  });

  it('counts from the first look if that came before this process', () => {
    const later = new SetBackClock(() => steady);
    later.look(at(20));
    expect(later.dueBy(text(57), text(62), at(20))).toBe(steady + 5_000);
  });
});
