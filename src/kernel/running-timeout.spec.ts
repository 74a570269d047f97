import { eventually } from '../../test/support/eventually';
import { standStill } from '../../test/support/stand-still';
import { RunningTimeout } from './running-timeout';

/** After it, every timer that is due has fired. */
const turn = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise(setImmediate);
};

describe('a timeout in running time', () => {
  let acted: number;
  let timeout: RunningTimeout | undefined;
  const begin = (ms: number): RunningTimeout => (timeout = new RunningTimeout(() => (acted += 1), ms));
  const over = (): Promise<number> =>
    eventually(
      async () => acted,
      (times) => times > 0,
      'the end of the time',
    );

  beforeEach(() => void (acted = 0));
  afterEach(() => timeout?.clear());

  it('does not count time in which the process was suspended', async () => {
    begin(1_000);
    standStill(1_200);
    await turn();
    expect(acted).toBe(0);
    await over();
    await turn();
    expect(acted).toBe(1);
  });

  it('fires on time if it is shorter than a step', async () => {
    begin(20);
    standStill(30);
    await turn();
    expect(acted).toBe(1);
  });

  it('does not fire when it is cleared', async () => {
    begin(20).clear();
    standStill(30);
    await turn();
    expect(acted).toBe(0);
  });

  it('starts over when it is refreshed', async () => {
    // Two of its four steps each time: one more, if the process stood still by itself, does no harm.
    const twoSteps = async (): Promise<void> => {
      for (let step = 0; step < 2; step += 1) {
        standStill(300);
        await turn();
      }
    };
    const refreshed = begin(1_000);
    await twoSteps();
    refreshed.refresh();
    await twoSteps();
    expect(acted).toBe(0);
    await over();
  });
});
