import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, spawnService } from './support/child';

describe('a start with arguments', () => {
  const say = (...words: readonly string[]) =>
    spawnSync(process.execPath, [...built('main.js'), ...words], {
      encoding: 'utf8',
      timeout: 60_000,
    });

  it.each(['--help', '-h'])('prints help instead of starting: %s', (word) => {
    const { status, stdout, stderr } = say(word);
    expect([status, stderr]).toEqual([0, '']);
    for (const part of [
      'payment request service',
      'SERVICE_SECRET',
      'ENABLED_NETWORKS',
      'docs/operators.md',
      '/docs',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('is refused with an unknown argument, and says how to list the known ones', () => {
    const { status, stdout, stderr } = say('--port', '1');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^svc: [^\n]+--help[^\n]+\n$/);
  });
});

describe('a start with an unusable setting', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-start-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  /** Everything it writes to both streams; must be one line. */
  const refusalOf = (env: Readonly<Record<string, string>>): Promise<string> =>
    spawnService({ DATA_DIR: dataDir, ...env }).then(
      ({ child }) => {
        child.kill('SIGKILL');
        return 'it started';
      },
      (error: Error) => error.message,
    );
  const oneLineNaming = (name: string): RegExp => new RegExp(`^ended with 1: svc: ${name} [^\\n]+\\n$`);

  it.each([
    ['is a file', '/etc/passwd'],
    ['is below a file', '/etc/passwd/x'],
    ['is a device', '/dev/null'],
    ['is where no directory can be made', '/sys/nope'],
    ['is where the system says there is no parent', '/proc/nope'],
    ['is there but cannot be written to', '/proc'],
  ])('names DATA_DIR when it %s', async (_, directory) => {
    expect(await refusalOf({ DATA_DIR: directory })).toMatch(oneLineNaming('DATA_DIR'));
  });

  it.each([
    ['is no name', 'not a host'],
    ['is no address', '256.1.1.1'],
    ['is no address of this machine', '192.0.2.9'],
    ['is not known', 'nobody.invalid'],
  ])('names HOST when it %s', async (_, host) => {
    expect(await refusalOf({ HOST: host })).toMatch(oneLineNaming('HOST'));
  });

  it('names PORT when it is in use, and closes the read store cleanly', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusalOf({ PORT: String(port) })).toMatch(oneLineNaming('PORT'));
    other.close();
    expect(readFileSync(join(dataDir, 'read-model', 'note'), 'utf8')).toBe('closed');
  });

  it.each([
    ['METRICS_TOKEN', { METRICS_TOKEN: 'with space' }],
    ['MONGODB_URL', { READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://127.0.0.1:99999/' }],
    [
      'EVENTSTORE_URL',
      { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:x', SERVICE_SECRET: 's'.repeat(32) },
    ],
  ])('names %s', async (name, env) => {
    expect(await refusalOf(env)).toMatch(oneLineNaming(name));
  });
});
