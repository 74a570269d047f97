/** One program that proves something: a jest file, or a program of its own. */
export type Run = Readonly<{
  file: string;
  /** The tests of the file whose names match; all of them otherwise. */
  only?: string;
  /** Given to a file that is no jest suite. */
  args?: readonly string[];
  /** What makes it the full form. */
  env?: Readonly<Record<string, string>>;
}>;

export type Need = Readonly<{ tried: number; withinMs?: number }>;

export type Row = Readonly<{
  name: string;
  promise: string;
  runs: readonly Run[];
  /** By what the suites call their figures: how much must have been tried for the row to count. */
  needs: Readonly<Record<string, Need>>;
}>;

const THOUSAND = 1_000;

/** Every promise with a figure, in its full form. The same suites with small sizes are part of `npm test`. */
export const rows: readonly Row[] = [
  {
    name: 'one-key',
    promise: 'one key has one effect, also when the service is killed in the middle',
    runs: [
      { file: 'test/payment-request-races.e2e-spec.ts', only: 'are one payment' },
      { file: 'test/payment-request-kills.e2e-spec.ts', env: { CHAOS_ROUNDS: '50' } },
    ],
    needs: { 'one key at once': { tried: 4 * THOUSAND }, 'one key and kill -9': { tried: 50 } },
  },
  {
    name: 'webhooks',
    promise: 'every event reaches a hostile receiver, in order, and every message is one its receiver believes',
    runs: [
      { file: 'test/webhook-kills.e2e-spec.ts', env: { HOSTILE_EVENTS: '10000', HOSTILE_KILLS: '8' } },
      { file: 'test/webhook-signatures.e2e-spec.ts' },
    ],
    needs: {
      'webhooks to a hostile receiver, kill -9': { tried: 10 * THOUSAND },
      'webhooks verified by their receivers': { tried: THOUSAND },
    },
  },
];
