import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
const EVENTS = join(root, 'src/events/payment-request.events.ts');

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

/** The consumers with compiler errors if the events file has this text. */
function errorsWith(text: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const { incremental: _i, tsBuildInfoFile: _b, ...rest } = options;
  const host = ts.createCompilerHost(rest);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version, ...others) =>
    name === EVENTS ? ts.createSourceFile(name, text, version) : read(name, version, ...others);
  const files = CONSUMERS.map((file) => join(root, file));
  const program = ts.createProgram(files, { ...rest, noEmit: true, types: ['node'] }, host);
  return CONSUMERS.filter((file) => {
    const source = program.getSourceFile(join(root, file));
    return program.getSemanticDiagnostics(source).length > 0;
  });
}

describe('a new event type that no consumer handles yet', () => {
  const today = ts.sys.readFile(EVENTS) ?? '';
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
