import { Pulse } from './pulse';

describe('a node', () => {
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

  it('is considered dead when a request is pending and it has sent nothing for the timeout', () => {
    pulse.ask();
    pass(1_800);
    expect(silences).toBe(0);
    pass(200);
    expect(silences).toBe(1);
  });

  it('is not considered dead while it answers other requests', () => {
    pulse.ask();
    const other = pulse.ask();
    for (let round = 0; round < 10; round += 1) {
      pass(1_800);
      other.answered();
    }
    expect(silences).toBe(0);
  });

  it('is not considered dead because this process was suspended', () => {
    pulse.ask();
    now += 10_000;
    pulse.check();
    expect(silences).toBe(0);
    pass(2_000);
    expect(silences).toBe(1);
  });

  it('is not considered dead while no request is pending', () => {
    pulse.ask().end();
    pass(10_000);
    expect(silences).toBe(0);
  });
});
