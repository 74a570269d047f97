import { type Random } from '../support/seeded';
import { Batcher, Station } from './station';
import { Timeline } from './timeline';

/** Milliseconds. docs/scaling.md says where they come from. */
export type Costs = Readonly<{
  /** Processor time on the instance that responds. */
  create: number;
  /** From sending an append until the log has it. */
  append: number;
  /** Concurrent appends per instance. */
  appendsAtOnce: number;
  /** The single projector's cost per batch, and per event in it. */
  batch: number;
  project: number;
  /** Processor time of sending one message and recording its outcome. */
  send: number;
  /** How long the receiver takes to respond. */
  receiver: number;
}>;

export type Deployment = Readonly<{
  name: string;
  callsPerSecond: number;
  /** Instances that answer callers, and processors per instance. */
  api: number;
  apiProcessors: number;
  /** Instances that send webhooks, sharing the endpoints; 0 if the API instances send. */
  workers: number;
  workerProcessors: number;
  endpoints: number;
  /** The maximum in flight to one endpoint. */
  window: number;
  costs: Costs;
  /** When the leader dies; another instance takes over after `silentMs`. */
  leaderDiesAt?: number;
  silentMs?: number;
}>;

export type Prediction = Readonly<{
  answered: number;
  mean: number;
  p50: number;
  p99: number;
  longest: number;
  deliveryP99: number;
  mostUnsent: number;
  /** Events per projector batch on average, and events still waiting for it at the end. */
  usualBatch: number;
  unprojected: number;
  /** The share of time that processors were busy. */
  apiBusy: number;
  sendingBusy: number;
  /** Milliseconds after the takeover until the first batch no larger than those before the failure. */
  recoveredAfter: number | undefined;
}>;

type Payment = Readonly<{ asked: number; endpoint: number; answered: () => void }>;
const PROJECTED_AT_ONCE = 500;
const MILLION = 1_000_000;

/** Poisson arrivals: the time to the next is exponential. */
export const nextArrival = (random: Random, perSecond: number): number =>
  (-Math.log((random.below(MILLION) + 1) / (MILLION + 1)) * 1_000) / perSecond;

/** Runs a deployment for this many seconds and returns its figures. */
export function simulate(deployment: Deployment, seconds: number, random: Random): Prediction {
  const { costs, endpoints } = deployment;
  const timeline = new Timeline();
  const api = Array.from({ length: deployment.api }, () => new Station(timeline, deployment.apiProcessors));
  const appends = api.map(() => new Station(timeline, costs.appendsAtOnce));
  const senders =
    deployment.workers === 0
      ? api
      : Array.from({ length: deployment.workers }, () => new Station(timeline, deployment.workerProcessors));
  const windows = Array.from({ length: endpoints }, () => new Station(timeline, deployment.window));
  const answers: number[] = [];
  const deliveries: number[] = [];
  const { leaderDiesAt = Infinity, silentMs = 0 } = deployment;
  let unsent = 0;
  let mostUnsent = 0;
  let largestBatch = 0;
  let recoveredAt: number | undefined;

  const deliver = ({ asked, endpoint }: Payment): void => {
    unsent += 1;
    mostUnsent = Math.max(mostUnsent, unsent);
    const sender = senders[endpoint % senders.length] as Station;
    sender.do(costs.send, () =>
      (windows[endpoint] as Station).do(costs.receiver, () => {
        unsent -= 1;
        deliveries.push(timeline.now - asked);
      }),
    );
  };
  const projector = new Batcher<Payment>(
    timeline,
    { most: PROJECTED_AT_ONCE, fixedMs: costs.batch, eachMs: costs.project },
    (batch) => {
      if (timeline.now < leaderDiesAt) largestBatch = Math.max(largestBatch, batch.length);
      else if (timeline.now > leaderDiesAt + silentMs && batch.length <= largestBatch) recoveredAt ??= timeline.now;
      for (const payment of batch) {
        payment.answered();
        deliver(payment);
      }
    },
  );
  const arrive = (): void => {
    const [asked, place] = [timeline.now, random.below(api.length)];
    const answered = (): void => void answers.push(timeline.now - asked);
    const payment = { asked, endpoint: random.below(endpoints), answered };
    api[place]?.do(costs.create, () => appends[place]?.do(costs.append, () => projector.add(payment)));
    timeline.in(nextArrival(random, deployment.callsPerSecond), arrive);
  };

  arrive();
  if (leaderDiesAt < Infinity) {
    timeline.in(leaderDiesAt, () => projector.fail());
    timeline.in(leaderDiesAt + silentMs, () => projector.recover());
  }
  timeline.runUntil(seconds * 1_000);

  const times = answers.sort((one, other) => one - other);
  const sent = deliveries.sort((one, other) => one - other);
  const busy = (stations: readonly { worked: number }[], processors: number): number =>
    stations.reduce((sum, { worked }) => sum + worked, 0) / (stations.length * processors * seconds * 1_000);
  return {
    answered: answers.length,
    mean: times.reduce((sum, took) => sum + took, 0) / Math.max(1, times.length),
    p50: at(times, 0.5),
    p99: at(times, 0.99),
    longest: times.at(-1) ?? 0,
    deliveryP99: at(sent, 0.99),
    mostUnsent,
    usualBatch: projector.usualBatch,
    unprojected: projector.length,
    apiBusy: busy(api, deployment.apiProcessors),
    sendingBusy: busy(senders, deployment.workers === 0 ? deployment.apiProcessors : deployment.workerProcessors),
    recoveredAfter: recoveredAt === undefined ? undefined : recoveredAt - leaderDiesAt - silentMs,
  };
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
