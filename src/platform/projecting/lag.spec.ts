import { type RecordedEvent } from '../event-store/event-store.port';
import { Lag } from './lag';

const at = (seconds: number): Date => new Date(Date.parse('2030-01-01T00:00:00.000Z') + seconds * 1000);
const event = (seconds: number): RecordedEvent =>
  ({ metadata: { occurred_at: at(seconds).toISOString() } }) as unknown as RecordedEvent;

describe('the lag of reads', () => {
  let lag: Lag;
  beforeEach(() => {
    lag = new Lag();
    lag.begin(at(100));
  });

  it('counts from the beginning while nothing has arrived', () => {
    expect(lag.seconds(at(103))).toBe(3);
    lag.caughtUp();
    expect(lag.seconds(at(103))).toBe(0);
  });

  it('is the age of the backlog being caught up, even between two batches', () => {
    lag.arrived(event(10));
    expect(lag.seconds(at(101))).toBe(91);
    lag.shown(1);
    expect(lag.seconds(at(101))).toBe(91);
  });

  it('is that of the oldest event not shown, although there is always another on its way', () => {
    lag.caughtUp();
    for (let second = 101; second < 200; second += 1) {
      lag.arrived(event(second));
      if (second > 101) lag.shown(1);
      expect(lag.seconds(at(second))).toBe(0);
    }
    lag.arrived(event(200));
    expect(lag.seconds(at(204))).toBe(5);
    lag.shown(2);
    expect(lag.seconds(at(204))).toBe(0);
  });

  it('grows while nothing arrives any more, until it has caught up again', () => {
    lag.caughtUp();
    lag.lost(at(110));
    lag.lost(at(112));
    expect(lag.seconds(at(115))).toBe(5);
    lag.caughtUp();
    expect(lag.seconds(at(115))).toBe(0);
  });

  it('goes on growing when following fails and begins again', () => {
    lag.caughtUp();
    lag.arrived(event(110));
    lag.begin(at(120));
    lag.begin(at(130));
    expect(lag.seconds(at(131))).toBe(21);
    lag.caughtUp();
    lag.begin(at(140));
    expect(lag.seconds(at(141))).toBe(1);
  });
});
