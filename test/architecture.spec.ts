import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = join(__dirname, '..');
// A file is one idea; one that is longer than this is rarely one.
const LONGEST_FILE = 400;

type SourceFile = Readonly<{ path: string; lines: number; imports: readonly string[] }>;

/** Every .ts file with what it imports: project paths without ending for its own files, package names for the rest. */
function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(root, path)).isDirectory()) return sourceFiles(path);
    if (!name.endsWith('.ts')) return [];
    const text = readFileSync(join(root, path), 'utf8');
    const imports = [...text.matchAll(/(?:from|import|require\()\s*'([^']+)'/g)].map(([, target = '']) =>
      target.startsWith('.') ? relative(root, resolve(root, dirname(path), target)) : target,
    );
    return [{ path, lines: text.split('\n').length, imports }];
  });
}

const isTest = ({ path }: SourceFile): boolean => /\.(spec|contract-spec|fixtures)\.ts$/.test(path);
const code = [...sourceFiles('src'), ...sourceFiles('projections')].filter((file) => !isTest(file));

const broken = (files: readonly SourceFile[], allowed: (target: string, file: SourceFile) => boolean): string[] =>
  files.flatMap((file) =>
    file.imports.filter((target) => !allowed(target, file)).map((target) => `${file.path} imports ${target}`),
  );

const inFolder = (folder: string) => code.filter(({ path }) => path.startsWith(`${folder}/`));
const own = (target: string): boolean => target.startsWith('src/') || target.startsWith('projections');

/** Folders for what several capabilities share; the same rules apply to them. */
const COMMON = ['payments', 'approvals'];
const capabilities = readdirSync(join(root, 'src/capabilities')).filter((name) => !COMMON.includes(name));

describe('the architecture', () => {
  it('covers all of the code', () => {
    expect(code.length).toBeGreaterThan(40);
    expect(capabilities).toContain('wallet-devices');
  });

  it('keeps each driver in its adapter folder', () => {
    const homes: Record<string, RegExp> = {
      lmdb: /^src\/platform\/(event-store|read-model)\/embedded\//,
      '@eventstore/db-client': /^src\/platform\/event-store\/eventstoredb\//,
      mongodb: /^src\/platform\/read-model\/mongodb\//,
    };
    expect(broken(code, (target, { path }) => homes[target]?.test(path) ?? true)).toEqual([]);
  });

  it('keeps adapters behind the one file that opens them', () => {
    const adapter = /^src\/platform\/(event-store|read-model)\/(embedded|eventstoredb|mongodb)\//;
    const openers = /^src\/platform\/(event-store\/open-event-store|read-model\/read-model\.module)\.ts$/;
    expect(
      broken(code, (target, { path }) => !adapter.test(target) || adapter.test(path) || openers.test(path)),
    ).toEqual([]);
  });

  it('keeps the kernel free of frameworks and of all other project code', () => {
    const foreign = (target: string): boolean =>
      target.startsWith('@nestjs/') || (own(target) && !target.startsWith('src/kernel/'));
    expect(broken(inFolder('src/kernel'), (target) => !foreign(target))).toEqual([]);
  });

  it('keeps networks pure', () => {
    const allowed = /^(src\/(kernel|networks)\/|@scure\/base|@noble\/hashes|node:zlib$)/;
    expect(broken(inFolder('src/networks'), (target) => allowed.test(target))).toEqual([]);
  });

  it('keeps deciders pure', () => {
    const deciders = capabilities
      .flatMap((name) => inFolder(`src/capabilities/${name}`))
      .filter(({ path }) => isDecider(path));
    expect(deciders.length).toBeGreaterThan(0);
    const pure = (target: string, path: string): boolean =>
      /^src\/(kernel|networks|events)(\/|$)/.test(target) || dirname(target) === dirname(path);
    expect(broken(deciders, (target, { path }) => pure(target, path))).toEqual([]);
  });

  it('lets projections see events and the kernel only', () => {
    const allowed =
      /^(src\/kernel\/|src\/platform\/(event-store\/event-store\.port|read-model\/projection)$|src\/events(\/|$)|projections(\/|$))/;
    expect(broken(inFolder('projections'), (target) => allowed.test(target))).toEqual([]);
  });

  it('keeps events free of all but the kernel', () => {
    const events = inFolder('src/events');
    expect(events.length).toBeGreaterThan(20);
    expect(broken(events, (target) => /^src\/(kernel|events)\//.test(target))).toEqual([]);
  });

  it('keeps capabilities from importing each other: what they share is in the events', () => {
    // The rule also applies to shared folders, or they would be a way around it.
    const files = inFolder('src/capabilities');
    const strange = (target: string, path: string): boolean => {
      const [, other] = /^src\/capabilities\/([a-z-]+)\//.exec(target) ?? [];
      const isOther =
        other !== undefined && capabilities.includes(other) && !path.startsWith(`src/capabilities/${other}/`);
      return isOther;
    };
    expect(broken(files, (target, { path }) => !strange(target, path))).toEqual([]);
  });

  it('keeps access independent of capabilities: guards read events with their own folds', () => {
    expect(inFolder('src/access').length).toBeGreaterThan(10);
    expect(broken(inFolder('src/access'), (target) => !target.startsWith('src/capabilities/'))).toEqual([]);
  });

  it('has no cycles between the folders of src and the projections', () => {
    const folderOf = (path: string): string =>
      path.startsWith('src/') ? path.split('/').slice(0, 2).join('/') : 'projections';
    const seen = new Map<string, Set<string>>();
    for (const { path, imports } of code) {
      const from = folderOf(path);
      for (const to of imports.filter(own).map(folderOf))
        if (to !== from) seen.set(from, (seen.get(from) ?? new Set()).add(to));
    }
    expect(seen.size).toBeGreaterThan(8);
    // Repeatedly removes folders that nobody imports; whatever is left is part of a cycle.
    for (let size = -1; size !== seen.size;) {
      size = seen.size;
      const imported = new Set([...seen.values()].flatMap((targets) => [...targets]));
      for (const folder of seen.keys()) if (!imported.has(folder)) seen.delete(folder);
    }
    expect([...seen.keys()].sort()).toEqual([]);
  });

  it('keeps every file short enough to read', () => {
    expect(
      code.filter(({ lines }) => lines > LONGEST_FILE).map(({ path, lines }) => `${path}: ${lines} lines`),
    ).toEqual([]);
  });
});

const isDecider = (path: string): boolean => /: Decider</.test(readFileSync(join(root, path), 'utf8'));
