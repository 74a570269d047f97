import { Pulse } from './pulse';

describe('whether a node still answers', () => {
  let now = 0;
  let silences = 0;
  let pulse: Pulse;
  beforeEach(() => {
    [now, silences] = [0, 0];
    pulse = new Pulse(
      2_000,
      () => (silences += 1),
      () => now,
    );
  });
  afterEach(() => pulse.stop());

  /** Time passes, and is looked at as the timer would. */
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 200) {
      now += 200;
      pulse.check();
    }
  };

  it('is doubted when it owes an answer and has said nothing for so long', () => {
    pulse.ask();
    pass(1_800);
    expect(silences).toBe(0);
    pass(200);
    expect(silences).toBe(1);
  });

  it('is not doubted while it answers others', () => {
    pulse.ask();
    const other = pulse.ask();
    for (let round = 0; round < 10; round += 1) {
      pass(1_800);
      other.answered();
    }
    expect(silences).toBe(0);
  });

  it('is not doubted for the time in which this process stood still itself', () => {
    pulse.ask();
    now += 10_000;
    pulse.check();
    expect(silences).toBe(0);
    pass(2_000);
    expect(silences).toBe(1);
  });

  it('owes nothing when nobody asks', () => {
    pulse.ask().end();
    pass(10_000);
    expect(silences).toBe(0);
  });
});
