import { type AsyncCommand } from 'fast-check';
import { pause } from '../../src/kernel/pause';
import { createPayment, type PaymentScene, pollEvents, readPayment, reportPayment } from './payments';

/** Each request expires after this long, so that the clock's steps expire some of them. */
const LIFETIME_MS = 120_000;

type Known = {
  id: string;
  amount: string;
  status: string;
  expiresAt: number;
  detail: string | undefined;
  moves: string[];
  late: string[];
};

/** The simplest possible model: one request per key, and the clock. */
export type Model = { now: number; requests: Map<string, Known> };
export const newModel = (now: number): Model => ({ now, requests: new Map() });

export type World = Readonly<{
  scene: PaymentScene;
  url(): string;
  advance(milliseconds: number): void;
  restart(): Promise<void>;
}>;

type Step = AsyncCommand<Model, World>;

const NEXT: Readonly<Record<string, readonly string[]>> = {
  pending: ['signed', 'rejected', 'failed'],
  signed: ['broadcasted', 'failed'],
  broadcasted: ['confirmed', 'failed'],
};

const UNPAID_ENDS = ['expired', 'failed', 'rejected'];

const at = (world: World) => ({ url: world.url() });

export class CreateRequest implements Step {
  constructor(
    private readonly key: string,
    private readonly amount: string,
  ) {}
  check = (): boolean => true;
  async run(model: Model, world: World): Promise<void> {
    const known = model.requests.get(this.key);
    // Like a client that repeats a call: the same body, including the expiry that it sent first.
    const expiresAt = known?.expiresAt ?? model.now + LIFETIME_MS;
    const changes = { payment: { amount: this.amount }, expires_at: new Date(expiresAt).toISOString() };
    const { status, body } = await createPayment(at(world), world.scene, changes, { 'x-idempotency-key': this.key });
    if (known === undefined) {
      expect(status).toBe(201);
      const id = body.payment_request.request_id as string;
      model.requests.set(this.key, {
        id,
        amount: this.amount,
        status: 'pending',
        expiresAt,
        detail: undefined,
        moves: ['created'],
        late: [],
      });
    } else if (known.amount === this.amount) {
      expect([status, body.payment_request?.request_id]).toEqual([200, known.id]);
    } else {
      expect([status, body.error?.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
  }
  toString = (): string => `create ${this.key} ${this.amount}`;
}

/** The most recently created request, or the `which`-th before it. */
const recent = ({ requests }: Readonly<Model>, which: number): Known | undefined =>
  [...requests.values()].at(-1 - which);

const AHEAD: Readonly<Record<string, string>> = { pending: 'signed', signed: 'broadcasted', broadcasted: 'confirmed' };

export class ReportStatus implements Step {
  /** `wanted` is a status, or `next` for the following one, so that many requests get far. */
  constructor(
    private readonly which: number,
    private readonly wanted: string,
    private readonly detail: string,
  ) {}
  check = (model: Readonly<Model>): boolean => recent(model, this.which) !== undefined;
  async run(model: Model, world: World): Promise<void> {
    const known = recent(model, this.which) as Known;
    expireIfDue(model, known);
    const status = this.wanted === 'next' ? (AHEAD[known.status] ?? 'confirmed') : this.wanted;
    const body = { status, transaction_hash: this.detail, reason: this.detail };
    const answer = await reportPayment(at(world), world.scene, known.id, body);
    expect([answer.status, answer.body.error?.code]).toEqual(this.expected(known, status));
    if (answer.status === 200 && known.status !== status) {
      known.status = status;
      known.moves.push(status);
      known.detail = this.detail;
    }
    this.keepIfLate(known, status);
  }
  /** Money that moves after the end is kept, and told once. */
  private keepIfLate(known: Known, status: string): void {
    const isLate = UNPAID_ENDS.includes(known.status) && (status === 'broadcasted' || status === 'confirmed');
    const report = `${status} ${this.detail}`;
    if (!isLate || known.late.includes(report)) return;
    known.late.push(report);
    known.moves.push('late_report');
  }
  private expected({ status, detail }: Known, reported: string): [number, string | undefined] {
    if (status === 'expired') return [409, 'request_expired'];
    if (status === reported && detail === this.detail) return [200, undefined];
    if (!(NEXT[status] ?? []).includes(reported)) return [409, 'invalid_status_transition'];
    return reported === 'confirmed' && detail !== this.detail ? [400, 'validation_failed'] : [200, undefined];
  }
  toString = (): string => `report -${this.which} ${this.wanted} ${this.detail}`;
}

export class AdvanceClock implements Step {
  constructor(private readonly milliseconds: number) {}
  check = (): boolean => true;
  async run(model: Model, world: World): Promise<void> {
    model.now += this.milliseconds;
    world.advance(this.milliseconds);
  }
  toString = (): string => `advance ${this.milliseconds}`;
}

export class ReadRequest implements Step {
  constructor(private readonly which: number) {}
  check = (model: Readonly<Model>): boolean => recent(model, this.which) !== undefined;
  async run(model: Model, world: World): Promise<void> {
    await seesWhatIs(model, world, recent(model, this.which) as Known);
  }
  toString = (): string => `read -${this.which}`;
}

export class RestartService implements Step {
  check = (): boolean => true;
  async run(_model: Model, world: World): Promise<void> {
    await world.restart();
  }
  toString = (): string => 'restart';
}

/** The final check: every request, and every event with its cursor. */
export async function checkEverything(model: Model, world: World): Promise<void> {
  const requests = [...model.requests.values()];
  for (const known of requests) await seesWhatIs(model, world, known);
  const { body } = await pollEvents(at(world), world.scene, 'limit=200');
  const events = body.events as { cursor: number; type: string; request_id: string }[];
  expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(requests.length);
  for (const { id, moves } of requests) {
    const types = events.filter(({ request_id }) => request_id === id).map(({ type }) => type);
    expect(types).toEqual(moves.map((move) => `payment_request.${move}`));
  }
}

function expireIfDue({ now }: Model, known: Known): void {
  if (known.status !== 'pending' || now < known.expiresAt) return;
  known.status = 'expired';
  known.moves.push('expired');
}

/** Expiry is recorded a moment later; everything else is visible at once. */
async function seesWhatIs(model: Model, world: World, known: Known): Promise<void> {
  expireIfDue(model, known);
  for (;;) {
    const { status, body } = await readPayment(at(world), world.scene, known.id);
    expect(status).toBe(200);
    if (known.status === 'expired' && body.payment_request.status === 'pending') {
      await pause(20);
      continue;
    }
    expect(body.payment_request).toMatchObject({ status: known.status, payment: { amount: known.amount } });
    return;
  }
}
