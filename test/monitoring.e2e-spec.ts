import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { isReady } from './support/instances';
import { startTestService, type TestService } from './support/service';

const root = join(__dirname, '..');
const { load } = jest.requireActual<{ load: (text: string) => unknown }>('js-yaml');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

type Rule = Readonly<{ alert: string; expr: string; annotations: Readonly<Record<string, string>> }>;
type Panel = Readonly<{ title: string; targets: readonly Readonly<{ expr: string }>[] }>;

const { groups } = load(read('monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap(({ rules: some }) => some);
const { panels } = JSON.parse(read('monitoring/grafana/dashboards/svc.json')) as { panels: Panel[] };
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Keywords of the query language, and labels that Prometheus adds to every series. */
const LANGUAGE = new Set([
  'sum',
  'rate',
  'increase',
  'max',
  'by',
  'topk',
  'histogram_quantile',
  'absent',
  'or',
  'and',
  'unless',
]);
const ADDED = { metric: 'up', labels: ['job', 'instance'] };

/** The metric names of a query, and the labels it selects or groups by. */
function partsOf(expr: string) {
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/,\s*/));
  const bare = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)|"[^"]*"/g, ' ');
  const metrics = [...bare.matchAll(/\b[a-z_]\w*\b/g)].map(([word]) => word).filter((word) => !LANGUAGE.has(word));
  return { metrics, labels: [...selected, ...grouped] };
}

describe('alerts and dashboard', () => {
  let service: TestService;
  let names: Set<string>;
  let labels: Set<string>;
  let exported: string;

  beforeAll(async () => {
    service = await startTestService();
    await call(`${service.url}/v1/errors`);
    const { text } = await call(`${service.url}/metrics`);
    exported = text;
    const series = [...text.matchAll(/^([a-z_]\w*)(?:\{([^}]*)\})? /gm)];
    names = new Set([
      ...series.map(([, name = '']) => name),
      ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, n = '']) => n),
    ]);
    labels = new Set(
      series.flatMap(([, , inside = '']) => [...inside.matchAll(/(\w+)="/g)].map(([, label = '']) => label)),
    );
    // Counters expose their labels only after they have counted.
    const code = [
      'src/http/operations/metrics.ts',
      'src/capabilities/webhooks/delivery-attempts.ts',
      'src/capabilities/settlement/settlement-watcher.ts',
    ]
      .map(read)
      .join('\n');
    for (const [, list = ''] of code.matchAll(/labelNames: \[([^\]]*)\]/g)) {
      for (const [, label = ''] of list.matchAll(/'(\w+)'/g)) labels.add(label);
    }
  });
  afterAll(() => service.stopAndForget());

  it('exist', () => {
    expect(rules.length).toBeGreaterThan(5);
    expect(panels.length).toBeGreaterThan(8);
  });

  it.each(expressions)('%s queries only metrics and labels that the service has', (_name, expr) => {
    const { metrics, labels: used } = partsOf(expr);
    expect(metrics.length).toBeGreaterThan(0);
    for (const metric of metrics)
      expect([metric, metric === ADDED.metric || names.has(metric)]).toEqual([metric, true]);
    for (const label of used) expect([label, ADDED.labels.includes(label) || labels.has(label)]).toEqual([label, true]);
  });

  it('show every metric of the service somewhere', () => {
    const own = [...names]
      .filter((name) => name.startsWith('svc_'))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    const shown = expressions.map(([, expr]) => expr).join('\n');
    for (const name of new Set(own)) expect(shown).toContain(name);
  });

  it('can take the increase of every counter from zero: a counter that appears at 1 has not increased', () => {
    const counted = expressions.flatMap(([, expr]) =>
      [...expr.matchAll(/increase\((\w+\{[^}]*\})/g)].map(([, series = '']) => series),
    );
    expect(counted.length).toBeGreaterThan(0);
    for (const series of counted) expect(exported).toContain(`${series} 0\n`);
  });

  it('are all quiet on a new service, which nobody has used', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-monitored-'));
    const fresh = await spawnService({ DATA_DIR: dataDir });
    try {
      await eventually(() => isReady(fresh), Boolean, 'being ready');
      const { text } = await call(`${fresh.url}/metrics`);
      const values = new Map(
        [...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
      );
      // Only one instance, so its sum and its maximum are its own value.
      const states = rules.flatMap(({ alert, expr }) => {
        const [, name = '', sign, limit] = /^(?:sum|max)\((svc_\w+)\) (>|!=) (\S+)$/.exec(expr) ?? [];
        const value = values.get(name);
        if (sign === undefined) return [];
        return [[alert, value !== undefined && (sign === '>' ? value <= Number(limit) : value === Number(limit))]];
      });
      expect(states.length).toBeGreaterThan(7);
      expect(states.filter(([, isQuiet]) => !isQuiet)).toEqual([]);
    } finally {
      fresh.child.kill('SIGTERM');
      await fresh.ended;
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 60_000);

  it('leave long polls out of response times: those calls asked to wait', async () => {
    const { body } = await call(`${service.url}/openapi.json`);
    const paths = body.paths as Record<string, { get?: { parameters?: readonly { name: string }[] } }>;
    const polled = Object.entries(paths)
      .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'wait'))
      .map(([path]) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
    expect(polled.length).toBeGreaterThan(2);
    const times = expressions.filter(([, expr]) => expr.includes('svc_http_request_duration_seconds_bucket'));
    expect(times.length).toBeGreaterThan(3);
    for (const [name, expr] of times) {
      const left = /route!~"([^"]+)"/.exec(expr)?.[1] ?? '(?!)';
      // Prometheus matches the whole label.
      const isLeftOut = (route: string): boolean => new RegExp(`^(?:${left})$`).test(route);
      expect([name, polled.filter((route) => !isLeftOut(route))]).toEqual([name, []]);
      expect([name, isLeftOut('/v1/payment-requests')]).toEqual([name, false]);
    }
  });

  it('name routes that exist', async () => {
    const { body } = await call(`${service.url}/openapi.json`);
    const routes = Object.keys(body.paths as object).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const named = expressions.flatMap(([, expr]) => [...expr.matchAll(/route!?="([^"]+)"/g)].map(([, route]) => route));
    expect(named.length).toBeGreaterThan(0);
    for (const route of named) expect(routes).toContain(route);
  });

  it('each say what happened and what to do', () => {
    for (const { alert, annotations } of rules) {
      expect([alert, annotations['summary'], annotations['action']]).toEqual([
        alert,
        expect.stringMatching(/^[A-Z].{20,}\.$/),
        expect.stringMatching(/^.{15,}\.$/),
      ]);
    }
  });

  it('are all explained to the operator', () => {
    const page = read('docs/operators.md');
    const explained = [...page.matchAll(/^\| `(Svc\w+)` \|/gm)].map(([, name]) => name);
    expect(explained).toEqual(rules.map(({ alert }) => alert));
  });
});
