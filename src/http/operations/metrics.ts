import { Inject, Injectable } from '../../platform/injection';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { ONLY_THREAD, type Thread, THREAD } from '../../platform/threads/thread-link';

type Collected = MetricObjectWithValues<MetricValue<string>>[];

/** Sampling interval, which is also the smallest lag reported. At 10 ms it took half a percent of an idle core. */
const LAG_RESOLUTION_MS = 50;

/** Prometheus metrics. Labels are route patterns and codes, never ids. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requestSeconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  readonly rateLimited = new Counter({
    name: 'svc_rate_limited_total',
    help: 'Calls answered with 429.',
    labelNames: ['limit'],
    registers: [this.registry],
  });

  constructor(@Inject(THREAD) private readonly thread: Thread = ONLY_THREAD) {
    // Node's process metrics are collected by one thread only.
    if (thread.side !== 'sends')
      collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
    else thread.link.answer('metrics', () => this.registry.getMetricsAsJSON());
  }

  /** The metrics of both threads, as if from one process. */
  async text(): Promise<string> {
    if (this.thread.side !== 'front') return this.registry.metrics();
    const theirs = await this.thread.link.ask<Collected>('metrics').catch((): Collected => []);
    const names = new Set(theirs.map(({ name }) => name));
    const ours = (await this.registry.getMetricsAsJSON()) as Collected;
    const shared = [ours.filter(({ name }) => names.has(name)), theirs];
    const single = ours.filter(({ name }) => !names.has(name));
    const texts = single.map(({ name }) => this.registry.getSingleMetricAsString(name));
    const added = await AggregatorRegistry.aggregate(shared).metrics();
    return (
      [...(await Promise.all(texts)), added]
        .filter((text) => text !== '')
        .join('\n\n')
        .trimEnd() + '\n'
    );
  }

  /** A value that is read only when metrics are collected. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      // A thread for which the value has no meaning reports 0.
      aggregator: 'max',
      collect() {
        this.set(read());
      },
    });
  }
}
