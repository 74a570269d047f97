import { rows, type Row } from './rows';
import { runRow } from './run-row';
import { Screen, table } from './screen';
import { judge, type Verdict } from './verdict';

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** `npm run chaos` runs all rows, or only those named; --list lists them. Returns false if a promise was broken. */
async function main(args: readonly string[]): Promise<boolean> {
  if (args.includes('--list')) {
    const width = Math.max(...rows.map(({ name }) => name.length));
    for (const { name, promise } of rows) write(`${name.padEnd(width)}  ${promise}`);
    return true;
  }
  const unknown = args.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`no row is called ${unknown.join(', ')}; --list shows them all`);
  const chosen = args.length === 0 ? rows : rows.filter(({ name }) => args.includes(name));
  const verdicts = await runAll(chosen);
  write(`\n${table(verdicts)}`);
  const short = verdicts.filter(({ kept }) => !kept);
  write(
    short.length === 0 ? '\nEvery promise was kept.' : `\nFell short: ${short.map(({ row }) => row.name).join(', ')}`,
  );
  return short.length === 0;
}

async function runAll(chosen: readonly Row[]): Promise<readonly Verdict[]> {
  const screen = new Screen(process.stdout, chosen.length);
  const verdicts: Verdict[] = [];
  for (const [index, row] of chosen.entries()) {
    const outcome = await runRow(row, screen.begin(index, row), (text) => screen.say(text));
    const verdict = judge(row, outcome);
    verdicts.push(verdict);
    screen.say(`${verdict.kept ? 'kept  ' : 'BROKEN'} ${row.name} in ${outcome.seconds} s`);
  }
  return verdicts;
}

main(process.argv.slice(2)).then(
  (kept) => (process.exitCode = kept ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`chaos: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
