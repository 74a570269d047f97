import { eventually } from '../../test/support/eventually';
import { BackgroundWork, type Part } from './background-work';

describe('background work', () => {
  let steps: string[];
  let leading: boolean;
  let sending: boolean;
  let failures: number;
  let work: BackgroundWork;

  const part = (name: string, start: () => void = () => undefined): Part => ({
    start: async () => {
      start();
      steps.push(`+${name}`);
    },
    stop: async () => void steps.push(`-${name}`),
  });
  const failing = (): void => {
    if (failures === 0) return;
    failures -= 1;
    throw new Error('not now');
  };

  beforeEach(() => {
    [steps, leading, sending, failures] = [[], false, false, 0];
    const others = [part('reacting', failing), part('sweeping')];
    work = new BackgroundWork({ leads: () => leading, sends: () => sending }, part('sending'), others, {
      warn: () => undefined,
    });
  });
  afterEach(() => work.stop());

  const until = (...wanted: readonly string[]) =>
    eventually(
      async () => steps.join(' '),
      (seen) => seen === wanted.join(' '),
      wanted.join(' '),
    );
  const BEGUN = ['+reacting', '+sweeping'];
  const ENDED = ['-sweeping', '-reacting'];

  it('has begun when start resolves, if this instance leads and sends', async () => {
    [leading, sending] = [true, true];
    await work.start();
    expect(steps).toEqual(['+sending', ...BEGUN]);
  });

  it('begins and ends with leadership, as often as it changes', async () => {
    await work.start();
    expect(steps).toEqual([]);
    leading = true;
    await until(...BEGUN);
    leading = false;
    await until(...BEGUN, ...ENDED);
    leading = true;
    await until(...BEGUN, ...ENDED, ...BEGUN);
  });

  it('sends without leadership, and continues when that is lost', async () => {
    sending = true;
    await work.start();
    expect(steps).toEqual(['+sending']);
    leading = true;
    await until('+sending', ...BEGUN);
    leading = false;
    await until('+sending', ...BEGUN, ...ENDED);
  });

  it('is retried from the start when it cannot begin, while sending continues', async () => {
    [leading, sending] = [true, true];
    failures = 1;
    await work.start();
    expect(steps).toEqual(['+sending', ...ENDED]);
    await until('+sending', ...ENDED, ...BEGUN);
  });

  it('sends no more once it retires, and begins nothing', async () => {
    [leading, sending] = [true, true];
    await work.start();
    steps = [];
    await work.retire();
    expect(steps).toEqual(['-sending']);
    await work.stop();
    expect(steps.slice(-2)).toEqual(ENDED);
  });

  it('does not begin after it retired', async () => {
    await work.start();
    await work.retire();
    [leading, sending] = [true, true];
    await work.stop();
    expect(steps.filter((step) => step.startsWith('+'))).toEqual([]);
  });
});
