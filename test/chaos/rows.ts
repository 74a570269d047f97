/** One program that proves something: a jest file, or a standalone program. */
export type Run = Readonly<{
  file: string;
  /** Runs only the tests whose names match; otherwise all. */
  only?: string;
  /** Arguments for a file that is not a jest suite. */
  args?: readonly string[];
  /** The settings of the full-size run. */
  env?: Readonly<Record<string, string>>;
}>;

export type Need = Readonly<{ tried: number; withinMs?: number }>;

export type Row = Readonly<{
  name: string;
  promise: string;
  runs: readonly Run[];
  /** By the name of the suite's figure: how much must have been tried for the row to count. */
  needs: Readonly<Record<string, Need>>;
}>;

const THOUSAND = 1_000;

/** Every promise with a figure, at full size. The same suites run at small sizes as part of `npm test`. */
export const rows: readonly Row[] = [
  {
    name: 'kill-9',
    promise: 'acknowledged writes survive kill -9',
    runs: [
      { file: 'test/kill-9-service.e2e-spec.ts', env: { CHAOS_ROUNDS: '200', CHAOS_WRITES: '500' } },
      { file: 'test/kill-9.e2e-spec.ts', env: { CHAOS_ROUNDS: '200' } },
    ],
    needs: {
      'acknowledged writes after kill -9': { tried: 200 * 500, withinMs: 5_000 },
      'the store after kill -9': { tried: 200 },
    },
  },
  {
    name: 'torn-tail',
    promise: 'a torn log has all that was acknowledged or is refused, a changed one is refused by name',
    runs: [{ file: 'test/torn-tail.e2e-spec.ts', env: { CHAOS_STRIDE: '1', CHAOS_FLIPS: '100' } }],
    needs: {
      'cut at every byte': { tried: 600 },
      'torn at every byte': { tried: 200 },
      'a flipped byte is refused by name': { tried: 100 },
    },
  },
  {
    name: 'secret-rotation',
    promise: 'a rotation of the service secret killed at any step is done or not begun, on each pair of stores',
    runs: [{ file: 'test/secret-rotation-kills.e2e-spec.ts', env: { CHAOS_STRIDE: '1' } }],
    needs: { 'a killed rotation is finished': { tried: 40 } },
  },
  {
    name: 'unknown-outcome',
    promise: 'a store that fails before, fails after or answers late doubles nothing, on each pair of stores',
    runs: [{ file: 'test/unknown-outcome.e2e-spec.ts', env: { CHAOS_COMMANDS: '10000' } }],
    needs: { 'unknown outcomes are resolved': { tried: 2 * 10 * THOUSAND } },
  },
  {
    name: 'one-winner',
    promise: 'of fifty who change one version one wins, over HTTP and among processes, on each pair of stores',
    runs: [{ file: 'test/one-winner.e2e-spec.ts', env: { CHAOS_STREAMS: '100' } }],
    needs: { 'one of fifty wins': { tried: 2 * 2 * 100 * 50 } },
  },
  {
    name: 'one-key',
    promise: 'one key has one effect, also when the service is killed in the middle',
    runs: [
      { file: 'test/payment-request-races.e2e-spec.ts', only: 'are one payment', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/payment-request-duplicates.e2e-spec.ts', only: 'by a crowd', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/payment-request-kills.e2e-spec.ts', env: { CHAOS_ROUNDS: '50' } },
    ],
    needs: { 'one key at once': { tried: 4 * THOUSAND }, 'one key and kill -9': { tried: 50 } },
  },
  {
    name: 'rebuild',
    promise: 'read models dropped and built anew are the same to the byte',
    runs: [{ file: 'test/payment-request-rebuild.e2e-spec.ts', env: { CHAOS_PAYMENTS: '2000' } }],
    needs: { 'rebuilt documents are the same': { tried: 2 * THOUSAND } },
  },
  {
    name: 'read-your-write',
    promise: 'what was answered can be read at once, on each pair of stores',
    runs: [{ file: 'test/read-your-write.e2e-spec.ts', env: { CHAOS_WRITES: '10000' } }],
    needs: { 'read your own write': { tried: 2 * 10 * THOUSAND } },
  },
  {
    name: 'one-time',
    promise: 'one-time means once, and what was begun is finished once',
    runs: [
      { file: 'test/merchant-access-races.e2e-spec.ts', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/connect-races.e2e-spec.ts', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/agent-credentials.e2e-spec.ts', only: 'take each challenge once', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/agent-auth.e2e-spec.ts', only: 'uses of one assertion win', env: { CHAOS_AT_ONCE: '1000' } },
      { file: 'test/one-time-kills.e2e-spec.ts', env: { CHAOS_ROUNDS: '100' } },
    ],
    needs: {
      'a link is used once': { tried: THOUSAND },
      'a grant is spent once': { tried: 3 * THOUSAND },
      'a connect key is claimed once': { tried: THOUSAND },
      'an invitation is exchanged once': { tried: THOUSAND },
      'a challenge is answered once': { tried: THOUSAND },
      'a jti is taken once': { tried: THOUSAND },
      'finished after kill -9': { tried: 3 * 100 },
    },
  },
  {
    name: 'revocation',
    promise: 'nothing that begins after a revocation was answered is accepted',
    runs: [{ file: 'test/connection-revocation.e2e-spec.ts', env: { CHAOS_TIMES: '16' } }],
    needs: { 'revocation is immediate': { tried: THOUSAND } },
  },
  {
    name: 'graceful-stop',
    promise: 'SIGTERM under load drops no answer',
    runs: [
      { file: 'test/graceful-stop.e2e-spec.ts', env: { CHAOS_ROUNDS: '20' } },
      { file: 'test/crowd-stop.e2e-spec.ts', env: { CHAOS_ROUNDS: '20', CHAOS_LIMITS: 'full' } },
    ],
    needs: {
      'stops under load': { tried: 20, withinMs: 10_000 },
      'stops beside a crowd that waits': { tried: 20 * 3 * THOUSAND, withinMs: 10_000 },
    },
  },
  {
    name: 'limits',
    promise: 'crowds of silent, slow, waiting and deaf callers are ended in time; others wait at most twice as long',
    runs: [{ file: 'test/resource-limits.e2e-spec.ts', env: { CHAOS_LIMITS: 'full' } }],
    needs: {
      'silent and slow callers are told so': { tried: 12 * THOUSAND },
      'long polls beside streams that nobody reads': { tried: 2 * THOUSAND },
      'others are served beside silent and slow callers': { tried: THOUSAND },
      'others are served beside long polls and streams': { tried: THOUSAND },
      'others are served beside long polls and streams with news': { tried: THOUSAND },
    },
  },
  {
    name: 'memory',
    promise: 'memory stays flat over good and bad requests of every kind',
    runs: [{ file: 'test/memory-flat.e2e-spec.ts', env: { CHAOS_REQUESTS: '100000' } }],
    needs: { 'memory over mixed requests': { tried: 100 * THOUSAND } },
  },
  {
    name: 'hostile',
    promise: 'callers who take more than they read, send the costliest, and grow what they can are bounded',
    runs: [
      { file: 'test/hostile-readers.e2e-spec.ts', env: { HOSTILE_AHEAD: '30000', HOSTILE_PAGES: '2000' } },
      { file: 'test/hostile-bodies.spec.ts', env: { HOSTILE_BODIES: '1000' } },
      { file: 'test/hostile-proofs.e2e-spec.ts', env: { HOSTILE_PAUSES: '3000' } },
      { file: 'test/hostile-waiters.e2e-spec.ts', env: { HOSTILE_WAITERS: '4000' } },
      { file: 'test/hostile-collections.e2e-spec.ts' },
      { file: 'test/hostile-growth.e2e-spec.ts' },
    ],
    needs: {
      'sockets that die with answers unread': { tried: 30 * THOUSAND },
      'pages that nobody reads': { tried: 2 * THOUSAND },
      'the costliest body': { tried: THOUSAND },
      'others are served beside proofs of a long agreement': { tried: 3 * THOUSAND },
      'waiters of one credential': { tried: 4 * THOUSAND },
      'a refused intent with all policies': { tried: 19 },
      'growth of the log for each delivery': { tried: 1 },
    },
  },
  {
    name: 'disk-full',
    promise: 'a full disk refuses writes, keeps reads and loses nothing; with space all goes on without a restart',
    runs: [{ file: 'test/disk-full.e2e-spec.ts', env: { CHAOS_ROUNDS: '20' } }],
    needs: { 'acknowledged writes on a full disk': { tried: 4 * THOUSAND } },
  },
  {
    name: 'cap',
    promise: 'a spending cap holds to the last unit, however many ask at once and whenever the service is killed',
    runs: [
      {
        file: 'test/agent-payments.e2e-spec.ts',
        only: 'fit a cumulative limit exactly',
        env: { CHAOS_INTENTS: '1000' },
      },
      { file: 'test/agent-payment-kills.e2e-spec.ts', env: { CHAOS_ROUNDS: '20', CHAOS_INTENTS: '1000' } },
    ],
    needs: {
      'a cap holds at once': { tried: THOUSAND },
      'a cap holds through kill -9': { tried: 20 * THOUSAND },
      'two caps hold through kill -9': { tried: 20 * 300 },
    },
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
  {
    name: 'walls',
    promise: 'every route answers every wrong credential with exactly its code, and refusals change nothing',
    runs: [{ file: 'test/walls.e2e-spec.ts' }],
    needs: { 'cells of the matrix': { tried: THOUSAND } },
  },
  {
    name: 'enumeration',
    promise:
      'known and unknown look the same in bytes, and in time to 2 ms by the median of 1,000, beyond what a call differs from itself',
    runs: [{ file: 'test/walls/main.ts', env: { WALLS_ROUNDS: '1000' } }],
    needs: { 'known and unknown are alike': { tried: 30 * THOUSAND, withinMs: 2 } },
  },
  {
    name: 'bad-input',
    promise: 'bad input is never a server error, and memory stays flat',
    runs: [
      { file: 'test/fuzz/main.ts', args: ['full'] },
      { file: 'test/fuzz/main.ts', args: ['memory'] },
    ],
    needs: { 'bad input': { tried: 110 * THOUSAND } },
  },
  {
    name: 'secrets',
    promise: 'no secret that was handed out is in logs, metrics, events, read models, mails or errors',
    // Suites that issue every kind of secret; test/secrets.e2e-spec.ts plants leaks to show that the search works.
    runs: [
      { file: 'test/walls.e2e-spec.ts' },
      { file: 'test/agent-payments.e2e-spec.ts' },
      { file: 'test/pairing.e2e-spec.ts' },
      { file: 'test/webhooks.e2e-spec.ts' },
    ],
    needs: { 'secrets stay where they belong': { tried: 200 } },
  },
  {
    name: 'instances',
    promise: 'several instances on one pair of stores lose nothing and double nothing',
    runs: [
      {
        file: 'test/instances.e2e-spec.ts',
        env: {
          INSTANCES_ROUNDS: '10',
          INSTANCES_WRITES: '1000',
          INSTANCES_RACERS: '300',
          INSTANCES_LOOK_EVERY_MS: '50',
          INSTANCES_WORKERS: '4',
          INSTANCES_PAUSE_MS: '1',
          INSTANCES_BACKLOG: '60',
        },
      },
    ],
    needs: { 'several instances': { tried: THOUSAND }, 'another takes over': { tried: 20, withinMs: 3_000 } },
  },
  {
    name: 'store-away',
    promise: 'stores that stop, freeze and come back leave nothing half-written',
    runs: [{ file: 'test/store-away.e2e-spec.ts', env: { STORE_AWAY_ROUNDS: '10' } }],
    needs: { 'stores that went away': { tried: THOUSAND, withinMs: 15_000 } },
  },
];
