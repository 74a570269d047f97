import { type Figure } from '../support/figures';
import { type Need, type Row } from './rows';

/** The outcome of a row's runs; `failed` holds a line for each that did not pass. */
export type Outcome = Readonly<{ figures: readonly Figure[]; failed: readonly string[]; seconds: number }>;

export type Line = Readonly<{
  promise: string;
  tried: string;
  lost: string;
  doubled: string;
  seed: string;
  slowest: string;
  result: string;
}>;

export type Verdict = Readonly<{ row: Row; kept: boolean; lines: readonly Line[]; seconds: number }>;

/** A passing suite alone proves nothing: it must have tried as much as the row demands. */
export function judge(row: Row, { figures, failed, seconds }: Outcome): Verdict {
  const needed = Object.entries(row.needs).map(([promise, need]) => {
    const reported = figures.filter((figure) => figure.promise === promise);
    return { promise, reported, faults: faultsOf(reported, need) };
  });
  const lines = needed.map(({ promise, reported, faults }) => ({
    promise,
    tried: shown(reported, sum('tried', reported)),
    lost: shown(reported, sum('lost', reported)),
    doubled: shown(reported, sum('doubled', reported)),
    seed: [...new Set(reported.flatMap(({ seed }) => (seed === undefined ? [] : [seed])))].join(' '),
    slowest: reported.some(({ slowestMs }) => slowestMs !== undefined) ? `${slowestOf(reported)} ms` : '',
    result: faults.length === 0 ? 'kept' : faults.join('; '),
  }));
  const blank = { tried: '', lost: '', doubled: '', seed: '', slowest: '' };
  const failures = failed.map((result) => ({ promise: row.promise, ...blank, result }));
  const kept = failed.length === 0 && needed.every(({ faults }) => faults.length === 0);
  return { row, kept, lines: [...lines, ...failures], seconds };
}

function faultsOf(reported: readonly Figure[], { tried, withinMs }: Need): string[] {
  if (reported.length === 0) return ['NO FIGURE'];
  const [lost, doubled, really] = [sum('lost', reported), sum('doubled', reported), sum('tried', reported)];
  const slowest = slowestOf(reported);
  return [
    ...(lost > 0 ? [`${lost} LOST`] : []),
    ...(doubled > 0 ? [`${doubled} DOUBLED`] : []),
    ...(really < tried ? [`TOO FEW (needs ${tried})`] : []),
    ...(withinMs !== undefined && !(slowest <= withinMs) ? [`TOO SLOW (at most ${withinMs} ms)`] : []),
  ];
}

const sum = (field: 'tried' | 'lost' | 'doubled', figures: readonly Figure[]): number =>
  figures.reduce((total, figure) => total + figure[field], 0);

/** NaN if any run did not measure it. */
const slowestOf = (figures: readonly Figure[]): number =>
  Math.max(...figures.map(({ slowestMs }) => Math.ceil(slowestMs ?? NaN)));

const shown = (reported: readonly Figure[], value: number): string =>
  reported.length === 0 ? '' : value.toLocaleString('en');
