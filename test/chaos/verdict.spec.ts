import { type Figure } from '../support/figures';
import { rows, type Row } from './rows';
import { table } from './screen';
import { judge } from './verdict';

const row: Row = {
  name: 'some-row',
  promise: 'some promise',
  runs: [],
  needs: { counted: { tried: 100 }, timed: { tried: 1, withinMs: 50 } },
};
const counted: Figure = { promise: 'counted', tried: 60, lost: 0, doubled: 0, seed: 7 };
const timed: Figure = { promise: 'timed', tried: 1, lost: 0, doubled: 0, slowestMs: 50 };
const verdictOn = (figures: readonly Figure[], failed: readonly string[] = []) =>
  judge(row, { figures, failed, seconds: 1 });
const results = (figures: readonly Figure[], failed?: readonly string[]): string[] =>
  verdictOn(figures, failed).lines.map(({ result }) => result);

describe('the verdict on a row', () => {
  it('is kept if as much was tried as the row demands, over all its runs', () => {
    const verdict = verdictOn([counted, counted, timed]);
    expect([verdict.kept, verdict.lines.map(({ result }) => result)]).toEqual([true, ['kept', 'kept']]);
    expect(table([verdict])).toContain(
      '| some-row | counted | 120   | 0    | 0       | 7    |         | 1       | kept   |',
    );
  });

  it.each<[string, Figure[], string[]]>([
    ['nothing was reported', [timed], ['NO FIGURE', 'kept']],
    ['too little was tried', [counted, timed], ['TOO FEW (needs 100)', 'kept']],
    ['something was lost', [counted, { ...counted, lost: 2 }, timed], ['2 LOST', 'kept']],
    ['something was doubled', [counted, { ...counted, doubled: 1 }, timed], ['1 DOUBLED', 'kept']],
    ['it took too long', [counted, counted, { ...timed, slowestMs: 51 }], ['kept', 'TOO SLOW (at most 50 ms)']],
    [
      'nobody looked at the time',
      [counted, counted, { ...counted, promise: 'timed' }],
      ['kept', 'TOO SLOW (at most 50 ms)'],
    ],
  ])('is not kept if %s', (_, figures, expected) => {
    expect([verdictOn(figures).kept, results(figures)]).toEqual([false, expected]);
  });

  it('is not kept if a suite failed, whatever it reported', () => {
    const figures = [counted, counted, timed];
    expect([verdictOn(figures, ['x FAILED']).kept, results(figures, ['x FAILED'])]).toEqual([
      false,
      ['kept', 'kept', 'x FAILED'],
    ]);
  });
});

describe('the rows', () => {
  it('have unique names, something to run, and something they need', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const { runs, needs } of rows) expect([runs.length > 0, Object.keys(needs).length > 0]).toEqual([true, true]);
  });
});
