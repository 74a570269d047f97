import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from './support/doc-blocks';

const root = join(__dirname, '..');
type Yaml = { load: (text: string, options: object) => unknown; YAML11_SCHEMA: object };
const { load, YAML11_SCHEMA } = jest.requireActual<Yaml>('js-yaml');
// Like Docker, with the merge key `<<`, which YAML 1.2 no longer has.
const yaml = <T>(path: string): T => load(readFileSync(join(root, path), 'utf8'), { schema: YAML11_SCHEMA }) as T;

type ComposeService = Readonly<{
  image?: string;
  build?: string;
  profiles?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  configs?: Readonly<{ source: string; target: string }>[];
  depends_on?: string[] | Record<string, unknown>;
}>;
type Compose = Readonly<{
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  configs: Record<string, { content: string }>;
}>;

const compose = yaml<Compose>('docker-compose.yml');
const services = Object.entries(compose.services);

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const blocks = pages.flatMap(blocksOf).filter(({ kind }) => kind === 'docker');
const text = blocks.map(({ code }) => code).join('\n');

/** The image fixes where it listens and stores data; this file chooses the engines. */
const OF_THE_IMAGE = ['HOST', 'PORT', 'DATA_DIR', 'EVENT_STORE', 'READ_STORE'];
/** Set from the environment of `docker compose`, with any default. */
const settable = (name: string): unknown => expect.stringMatching(new RegExp(String.raw`^\$\{${name}:[-?].*\}$`));

/** Docker is not needed: these tests check the text. */
describe('docker-compose.yml', () => {
  it('describes the whole production setup, with monitoring separate', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
    const monitoring = services.filter(([, { profiles }]) => profiles?.includes('monitoring')).map(([name]) => name);
    expect([always, monitoring]).toEqual([
      ['service', 'eventstore', 'mongodb'],
      ['prometheus', 'grafana'],
    ]);
    expect(compose.services['service']?.environment).toMatchObject({
      EVENT_STORE: 'eventstoredb',
      READ_STORE: 'mongodb',
    });
  });

  it('has a worker for separating requests from background work, on the same stores', () => {
    const [service, worker] = [compose.services['service'], compose.services['worker']];
    expect(worker?.profiles).toEqual(['worker']);
    expect(worker?.environment).toEqual({ ...service?.environment, ROLE: 'worker' });
    expect(service?.environment?.['ROLE']).toBe('${ROLE:-all}');
    expect(worker).not.toHaveProperty('ports');
  });

  it('pins image versions, and names only volumes, configs, files and services that exist', () => {
    for (const [, { image, volumes = [], configs = [], depends_on = {} }] of services) {
      if (image !== undefined) expect(image).toMatch(/^[\w./-]+:v?\d[\w.-]*$/);
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        const found = source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes;
        expect([source, found]).toEqual([source, true]);
      }
      for (const { source } of configs) expect(Object.keys(compose.configs)).toContain(source);
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      for (const name of needed) expect(Object.keys(compose.services)).toContain(name);
    }
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    for (const name of Object.keys(compose.volumes)) expect(used).toContain(name);
  });

  it('gives the service no unknown setting', () => {
    const known = readFileSync(join(root, 'src/platform/config.ts'), 'utf8');
    for (const name of Object.keys(compose.services['service']?.environment ?? {}))
      expect(known).toContain(`'${name}'`);
  });

  it('passes every setting on, so that none is set in vain', () => {
    const known = [...readFileSync(join(root, 'src/platform/config.ts'), 'utf8').matchAll(/'([A-Z][A-Z_]+)'/g)]
      .map(([, name = '']) => name)
      .filter((name) => !OF_THE_IMAGE.includes(name));
    expect(known).toContain('SETTLEMENT_WITNESS');
    const given = compose.services['service']?.environment ?? {};
    for (const name of known) expect([name, given[name]]).toEqual([name, settable(name)]);
    const documented = [...text.matchAll(/^(?:export )?([A-Z][A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(documented).toContain('EVENTSTORE_URL');
    const taken = JSON.stringify(compose);
    for (const name of documented.filter((one) => one !== 'NEW_SERVICE_SECRET')) expect(taken).toContain(`\${${name}:`);
  });

  it('has its metrics scraped where they are served, with the configured token', () => {
    const { scrape_configs, rule_files } = yaml<{
      scrape_configs: Record<string, any>[];
      rule_files: string[];
    }>('monitoring/prometheus.yml');
    expect(scrape_configs).toMatchObject([
      {
        job_name: 'svc',
        metrics_path: '/metrics',
        dns_sd_configs: [{ names: ['service', 'worker'], type: 'A', port: 8787 }],
      },
    ]);
    const prometheus = compose.services['prometheus'];
    const mounted = prometheus?.volumes?.map((volume) => volume.split(':')[1]);
    expect(mounted).toEqual(expect.arrayContaining(rule_files));
    expect(prometheus?.configs?.[0]?.target).toBe(scrape_configs[0]?.['authorization'].credentials_file);
    expect(compose.configs['metrics-token']?.content).toBe('${METRICS_TOKEN:-none}');
  });

  it('provisions the dashboard from where it is mounted', () => {
    const { providers } = yaml<{ providers: { options: { path: string } }[] }>(
      'monitoring/grafana/provisioning/dashboards/svc.yml',
    );
    const mounted = compose.services['grafana']?.volumes?.map((volume) => volume.split(':')[1]);
    expect(mounted).toContain(providers[0]?.options.path);
    const { datasources } = yaml<{ datasources: { url: string; uid: string }[] }>(
      'monitoring/grafana/provisioning/datasources/prometheus.yml',
    );
    expect(datasources).toMatchObject([{ url: 'http://prometheus:9090', uid: 'prometheus' }]);
  });
});

describe('Dockerfile', () => {
  const [, final = ''] = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^FROM .+(?<!AS build)$/m);
  const [, command = ''] = /^CMD (\[.+\])$/m.exec(final) ?? [];

  it('runs as an unprivileged user', () => {
    expect(final).toMatch(/^USER node$/m);
  });

  it('compiles all of the program, as the same user and with the same options as the start, because Node caches code separately for each', () => {
    const start = (JSON.parse(command) as string[]).join(' ');
    const [, asUser = ''] = final.split(/^USER node$/m);
    const [, compiling, program = ''] = /^RUN (node\b.*?) -e "(.*)"$/m.exec(asUser.replaceAll('\\\n', '')) ?? [];
    expect(`${compiling} dist/src/main.js`).toBe(start);
    const parts = [...program.matchAll(/'([a-z-]+\/[a-z/-]+)'/g)].map(([, part = '']) => part);
    expect(parts).toContain('app/service');
    expect(parts.filter((part) => !existsSync(join(root, 'src', `${part}.ts`)))).toEqual([]);
  });
});

describe('commands for Docker in the docs', () => {
  it('are shell', () => {
    expect(blocks.length).toBeGreaterThan(5);
    for (const { page, line, code } of blocks) {
      const { status, stderr } = spawnSync('bash', ['-n', '-c', code], { encoding: 'utf8' });
      expect([`${page}:${line}`, status, stderr]).toEqual([`${page}:${line}`, 0, '']);
    }
  });

  it('name services, volumes and profiles that exist', () => {
    const named = [...text.matchAll(/docker compose (?:start|stop|run --rm|logs) ?([\w ]*)/g)];
    expect(named.length).toBeGreaterThan(3);
    const known = new Set(Object.keys(compose.services));
    for (const [, names = ''] of named) {
      const [first, ...others] = names.split(' ').filter((name) => name !== '');
      const targets = others[0] === 'node' ? [first] : [first, ...others];
      for (const name of targets) if (name !== undefined) expect(known).toContain(name);
    }
    for (const [, name = ''] of text.matchAll(/--scale (\w+)=/g)) expect(known).toContain(name);
    const looped = [...text.matchAll(/for name in ([\w ]+); do\n.*-v svc_\$name-data:/g)];
    expect(looped).toHaveLength(2);
    for (const name of looped.flatMap(([, names = '']) => names.split(' '))) {
      expect(Object.keys(compose.volumes)).toContain(`${name}-data`);
    }
    const profiles = services.flatMap(([, { profiles: named = [] }]) => named);
    for (const [, name = ''] of text.matchAll(/--profile (\w+)/g)) expect(profiles).toContain(name);
  });
});
