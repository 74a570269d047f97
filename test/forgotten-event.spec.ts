import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');
const EVENTS = 'src/events/payment-request.events.ts';
const COMPILER = join(root, 'node_modules/typescript-native/bin/tsc');

/** Every consumer of payment request events. A new consumer must be added, and handle each event type. */
const CONSUMERS = [
  'projections/device-events.projection.ts',
  'projections/payee-history.projection.ts',
  'projections/payment-request-document.ts',
  'projections/payment-request-events.projection.ts',
  'projections/payment-requests.projection.ts',
  'projections/settlement-watches.projection.ts',
  'projections/webhook-types.ts',
  'src/audit/cli/event-sentences.ts',
  'src/audit/cli/verify/invariants/lifecycle-steps.ts',
  'src/capabilities/payment-requests/payment-request.ts',
  'src/capabilities/settlement/watch-beginnings.ts',
  'src/capabilities/settlement/watched-payments.ts',
  'src/capabilities/webhooks/webhook-messages.ts',
  'src/events/category-of-event.ts',
  // The statuses that events lead to, for the timeline and other readers of a payment's status.
  'src/events/payment-request.events.ts',
];

const newDirectory = temporaryDirectories();

/** The consumers with compiler errors if the events file has this text, compiled in a copy of the sources. */
function errorsWith(text: string): readonly string[] {
  const copy = newDirectory();
  for (const folder of ['src', 'projections']) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, EVENTS), text);
  const compilerOptions = { noEmit: true, incremental: false, rootDir: copy, types: ['node'] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: CONSUMERS };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, stderr, status } = spawnSync(process.execPath, [COMPILER, '-p', copy, '--pretty', 'false'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const wrong = CONSUMERS.filter((file) => stdout.includes(`${file}(`));
  if ((status === 0) !== (wrong.length === 0)) throw new Error(`the compiler failed: ${stdout}${stderr}`);
  return wrong;
}

describe('a new event type that no consumer handles yet', () => {
  const today = readFileSync(join(root, EVENTS), 'utf8');
  const tomorrow = today.replace(
    'export type PaymentRequestEvent =',
    `export type PaymentRequestForgotten = Readonly<{
      type: 'PaymentRequestForgotten';
      data: Readonly<{ request_id: string; connection_id: ConnectionId; at: string }>;
    }>;
    export type PaymentRequestEvent =
  | PaymentRequestForgotten`,
  );

  it('breaks the build at every consumer of its category', () => {
    expect(tomorrow).not.toBe(today);
    expect(errorsWith(tomorrow)).toEqual(CONSUMERS);
  });

  it('is the only error: without it every consumer builds', () => {
    expect(errorsWith(today)).toEqual([]);
  });
});
