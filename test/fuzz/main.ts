import { figure } from '../support/figures';
import { seededRandom, seedFrom as numberFrom, type Random } from '../support/seeded';
import { type Kind } from './corpora';
import { type CredentialDesk, openCredentialDesk } from './credential-desk';
import { readOperations } from './document';
import { type CorporaReport, runCorpora } from './run-corpora';
import { runSchemathesis } from './schemathesis';
import { idsOn, setStage, type Stage, startTarget, type Target } from './target';

/**
 * `npm run fuzz`: schemathesis over every operation, then our own corpora, against a dedicated service.
 * `npm run fuzz -- bounded`: few cases of each kind, but of every operation. `npm run fuzz -- memory`: memory use over
 * 100,000 bad bodies.
 * FUZZ_SEED repeats a run; FUZZ_CASES and FUZZ_EXAMPLES change the number of cases.
 */
const RUNS = { calls: 'examples,coverage,fuzzing', links: 'stateful' };
const FORMS = {
  full: { cases: 10_000, examples: 60, sequences: 60, seconds: 150, runs: RUNS },
  // Limited by counts, because with a time limit a slow machine would leave operations out; and in one run, because
  // loading the tool and the document costs more than the sequences.
  bounded: { cases: 2_000, examples: 3, sequences: 8, seconds: undefined, runs: { all: 'examples,fuzzing,stateful' } },
  memory: { cases: 100_000, examples: 0, sequences: 0, seconds: undefined, runs: {} },
} as const;
const BAD_BODIES: readonly Kind[] = ['json', 'values'];

/** Credentials are renewed after this many cases: some cases invalidate them. */
const CHUNK = 500;
/** Allowance for caches once everything is warm; more growth would be a leak. */
const MAX_GROWTH_MB = 64;

type Result = Readonly<{ what: string; cases: number; findings: number; note: string }>;

async function main(form: keyof typeof FORMS): Promise<boolean> {
  const random = seededRandom(numberFrom('FUZZ_SEED'));
  const { seconds, sequences, runs, ...usual } = FORMS[form];
  const cases = numberFrom('FUZZ_CASES') ?? usual.cases;
  const examples = numberFrom('FUZZ_EXAMPLES') ?? usual.examples;
  process.stdout.write(`form ${form}, seed ${random.seed}\n`);
  const target = await startTarget();
  const stage = await setStage(target);
  const desk = await openCredentialDesk(target, stage);
  const results: Result[] = [];
  try {
    for (const [name, phases] of Object.entries<string>(examples > 0 ? runs : {})) {
      // Only sequences could go on for ever.
      const bound = phases === 'stateful' ? seconds : undefined;
      const asked = { url: target.url, desk: desk.url, seed: random.seed, phases, examples, sequences, seconds: bound };
      const { cases: tried, failures, errors, passed } = await runSchemathesis(asked);
      const findings = Math.max(failures + errors, passed ? 0 : 1);
      const note = `${target.memory().toFixed(0)} MB after it`;
      results.push({ what: `schemathesis, ${name}`, cases: tried, findings, note });
    }
    results.push(await ownCorpora(target, stage, desk, random, cases, form === 'memory' ? BAD_BODIES : undefined));
    results.push(...errorsInLog(target));
  } finally {
    await desk.close();
    await target.stop();
  }
  const [tried, lost] = [
    results.reduce((sum, each) => sum + each.cases, 0),
    results.reduce((sum, each) => sum + each.findings, 0),
  ];
  figure({ promise: 'bad input', tried, lost, doubled: 0, seed: random.seed });
  return printResults(results);
}

async function ownCorpora(
  target: Target,
  stage: Stage,
  desk: CredentialDesk,
  random: Random,
  cases: number,
  kinds: readonly Kind[] | undefined,
): Promise<Result> {
  const operations = await readOperations(target.url);
  const findings: string[] = [];
  const memory: number[] = [];
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < cases; sent += CHUNK) {
    const material = { operations, credentials: await desk.all(), ids: idsOn(stage) };
    const chunk = { cases: Math.min(CHUNK, cases - sent), ...(kinds ? { kinds } : {}) };
    const report: CorporaReport = await runCorpora(target.url, random, material, chunk);
    findings.push(...report.findings);
    report.byStatus.forEach((count, status) => statuses.set(status, (statuses.get(status) ?? 0) + count));
    memory.push(target.memory());
    process.stderr.write(
      `\r${sent + chunk.cases}/${cases} own cases, ${findings.length} findings, ${memory.at(-1)?.toFixed(0)} MB `,
    );
  }
  process.stderr.write('\n');
  for (const finding of findings.slice(0, 20)) process.stdout.write(`FOUND ${finding}\n`);
  // Heap size fluctuates, so compare its medians in the second and in the last quarter of the run.
  const quarter = Math.ceil(memory.length / 4);
  const [warm, late] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
  const seen = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status || 'cut'}`);
  process.stdout.write(`answers: ${seen.join(', ')}\n`);
  return {
    what: kinds ? 'bad bodies' : 'own corpora',
    cases,
    findings: findings.length + (late - warm > MAX_GROWTH_MB ? 1 : 0),
    note: `memory ${warm.toFixed(0)} MB in the second quarter, ${late.toFixed(0)} MB in the last`,
  };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** What the service itself logged as an error, whatever caused it. */
function errorsInLog({ process: service }: Target): readonly Result[] {
  const errors = service.output().match(/"level":"(error|fatal)".*/g) ?? [];
  for (const line of errors.slice(0, 10)) process.stdout.write(`LOGGED ${line.slice(0, 500)}\n`);
  return [{ what: 'errors in the log', cases: 0, findings: errors.length, note: '' }];
}

function printResults(results: readonly Result[]): boolean {
  for (const { what, cases, findings, note } of results) {
    process.stdout.write(
      `${what.padEnd(20)} ${String(cases).padStart(7)} cases ${String(findings).padStart(4)} findings  ${note}\n`,
    );
  }
  return results.every(({ findings }) => findings === 0);
}

const [form = 'full'] = process.argv.slice(2);
if (!(form in FORMS)) throw new Error(`unknown form ${form}: one of ${Object.keys(FORMS).join(', ')}`);
main(form as keyof typeof FORMS).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
