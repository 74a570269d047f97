import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../support/http';
import { pythonPrograms } from '../support/python';
import { addLinks } from './openapi-links';

const root = join(__dirname, '..', '..');
const HOME = join(root, '.fuzz');
const REQUIREMENTS = join(__dirname, 'requirements.txt');
const HOOKS = join(__dirname, 'schemathesis_hooks.py');

export type SchemathesisReport = Readonly<{ cases: number; failures: number; errors: number; passed: boolean }>;

type Run = Readonly<{
  url: string;
  desk: string;
  seed: number;
  /** Single calls (examples, coverage, fuzzing), or sequences that follow the links in responses (stateful). */
  phases: string;
  /** Cases per operation. */
  examples: number;
  /** How many sequences of calls. */
  sequences: number;
  /** How long the run lasts; if undefined, until every operation has had its cases. */
  seconds: number | undefined;
}>;

const configOf = (examples: number, sequences: number): string => `hooks = ${JSON.stringify(HOOKS)}
request-timeout = 20
generation = { max-examples = ${examples} }

# Every check is on but this one: our fields have meanings no schema tells (checksums, ids that exist), so well-formed input
# may rightly be refused. Chosen here and not on the command line, which would overrule what is said of single operations.
[checks.positive_data_acceptance]
enabled = false

# The document promises a refusal, not which of these it is.
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 422, 429, 431]

# A sequence goes on only from calls that succeed.
[phases.stateful]
max-steps = 12
generation = { mode = "positive", max-examples = ${sequences} }

# Held answers are tried elsewhere; here each would cost half a minute.
[[operations]]
include-name = ["GET /v1/events", "GET /v1/payment-requests/events", "GET /v1/wallet-devices/{id}/events"]
parameters = { "query.wait" = 0 }

# Deleting these revokes them for good; their owners can still read that they were revoked, and when.
[[operations]]
include-name = ["GET /v1/connections/{id}", "GET /v1/automation-policies/{id}", "GET /v1/api-keys/{id}"]
checks = { use_after_free = { enabled = false } }
`;

/** Calls every operation of the served document; the tool's own output goes to the terminal. */
export async function runSchemathesis({
  url,
  desk,
  seed,
  phases,
  examples,
  sequences,
  seconds,
}: Run): Promise<SchemathesisReport> {
  const { body: document } = await call(`${url}/openapi.json`);
  addLinks(document as { paths: object });
  const program = join(pythonPrograms(HOME, REQUIREMENTS), 'schemathesis');
  const work = mkdtempSync(join(tmpdir(), 'svc-schemathesis-'));
  const config = join(work, 'schemathesis.toml');
  writeFileSync(config, configOf(examples, sequences));
  const described = join(work, 'openapi.json');
  writeFileSync(described, JSON.stringify(document));
  const options = [
    ...['--config-file', config, 'run', described, '--url', url],
    ...['--phases', phases],
    ...['--seed', String(seed), '--continue-on-failure', '--no-color'],
    ...['--generation-database', 'none', '--warnings', 'off', '--report', 'json', '--report-dir', work],
    ...(seconds === undefined ? [] : ['--max-time', String(seconds)]),
  ];
  const code = await ended(spawn(program, options, { cwd: work, env: environment(desk), stdio: 'inherit' }));
  const report = readdirSync(work).find((name) => name.startsWith('json-'));
  if (report === undefined) throw new Error(`schemathesis ended with ${code} and left no report`);
  const { test_cases, failures, errors } = JSON.parse(readFileSync(join(work, report), 'utf8')) as {
    test_cases: { generated: number };
    failures: unknown[];
    errors: unknown[];
  };
  rmSync(work, { recursive: true, force: true });
  return { cases: test_cases.generated, failures: failures.length, errors: errors.length, passed: code === 0 };
}

const environment = (desk: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  CREDENTIAL_DESK: desk,
  // The tool is started twice, and its installation compiles nothing.
  PYTHONPYCACHEPREFIX: join(HOME, 'compiled'),
});

const ended = (child: ReturnType<typeof spawn>): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
