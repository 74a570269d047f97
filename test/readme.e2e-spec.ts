import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, blocksOf, toolsIn } from './support/doc-blocks';
import { freePort } from './support/free-port';
import { replaced, type Shell, startShell } from './support/bash';
import { startTerminal } from './support/terminal';
import { describeWithTools } from './support/tools';

const root = join(__dirname, '..');
const blocks = blocksOf('README.md');
const ofKind = (kind: string): readonly Block[] =>
  blocks.filter((block) => block.language === 'sh' && block.kind === kind);

describeWithTools('the commands of README.md', [...toolsIn(ofKind('')), 'script'], () => {
  let dataDir: string;
  let service: Shell;
  let here: Readonly<Record<string, string>>;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-readme-'));
    const port = String(await freePort());
    here = {
      '127.0.0.1:8787': `127.0.0.1:${port}`,
      '127.0.0.1:5300': `127.0.0.1:${await freePort()}`,
      'data/outbox.jsonl': join(dataDir, 'outbox.jsonl'),
    };
    const [start = ''] = ofKind('background').map(({ code }) => code);
    service = startShell(replaced(start, here), { PORT: port, DATA_DIR: dataDir });
    await service.printed('svc listens on');
  }, 300_000);
  afterAll(() => {
    service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Error output of a shell, curl or jq, and responses that are refusals. */
  const COMPLAINTS = /curl: \(|jq: |bash: |parse error|"ok":\s*false|\bnull\b|No such file|command not found/;

  it('complete a payment when they are pasted into a terminal, and again when they are pasted again', async () => {
    const terminal = startTerminal({});
    for (const how of ['marked', 'typed'] as const) {
      let output = '';
      for (const { code, line } of ofKind('')) {
        const shown = await terminal.paste(replaced(code, here), how);
        if (COMPLAINTS.test(shown)) throw new Error(`README.md:${line}, pasted ${how}: ${shown}`);
        output += shown;
      }
      expect(output).toMatch(/1 pending\r?\n2 signed\r?\n3 broadcasted\r?\n4 confirmed\r?\n/);
      expect(output).toMatch(/signature verified/);
      expect(await terminal.paste('wait; jobs', how)).not.toMatch(/Running|Stopped/);
    }
    await terminal.end();
  }, 300_000);
});

describe('README.md', () => {
  it('has no commands of a kind that no test covers', () => {
    expect(new Set(blocks.map(({ language, kind }) => `${language} ${kind}`.trim()))).toEqual(
      new Set(['mermaid', 'sh', 'sh background', 'sh install', 'sh docker', 'text demo', 'ts agent']),
    );
  });

  it('requires nothing before the tests but what the build machine installs', () => {
    const build = readFileSync(join(root, '.ci/run'), 'utf8');
    for (const { code } of ofKind('install')) expect(build).toMatch(new RegExp(`^${code}( |$)`, 'm'));
  });

  it('leads from what it is through what it does to how it is called by hand', () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    const parts = [
      '```mermaid',
      'npm run demo',
      '```text demo',
      '```ts agent',
      'docs/screenshots/',
      '## The story with curl',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places).not.toContain(-1);
    const [sample] = blocks.filter(({ kind }) => kind === 'agent');
    expect(sample?.code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(18);
  });

  it('lists every setting, and no other', () => {
    const table = readFileSync(join(root, 'README.md'), 'utf8').split('## Configuration')[1]?.split('##')[0] ?? '';
    const listed = [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name);
    const code = readFileSync(join(root, 'src/platform/config.ts'), 'utf8');
    const read = [...code.matchAll(/(?:env\['|\(env, '|wrong\('|const name = ')([A-Z][A-Z_]+)'/g)].map(
      ([, name]) => name,
    );
    expect(new Set(listed)).toEqual(new Set(read));
  });

  it('names files that exist', () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    const named = [
      ...text.matchAll(/`((?:src|test|projections|docs|sdk|demo|monitoring)\/[\w./-]*)`|\]\(([\w./-]+)\)/g),
    ];
    const paths = named.map(([, code, link]) => code ?? link ?? '').filter((path) => path !== '');
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) expect(() => statSync(join(root, path))).not.toThrow();
  });
});
