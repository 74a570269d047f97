import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(root, name), 'utf8')) as T;
const run = (script: string) => spawnSync(process.execPath, [join(root, 'scripts', script)], { encoding: 'utf8' });

type Locked = Readonly<{ version?: string; dev?: boolean; devOptional?: boolean; link?: boolean; resolved?: string }>;
type Bill = Readonly<{
  specVersion: string;
  components: readonly Readonly<{
    name: string;
    version: string;
    licenses?: readonly unknown[];
    hashes: readonly unknown[];
  }>[];
}>;

describe('what the service depends on', () => {
  const { packages } = readJson<{ packages: Readonly<Record<string, Locked>> }>('package-lock.json');
  const { dependencies } = readJson<{ dependencies: Readonly<Record<string, string>> }>('package.json');

  it('is in the bill of materials, with version, licence and checksum', () => {
    expect(run('sbom.js').status).toBe(0);
    const { specVersion, components } = readJson<Bill>('sbom.json');
    expect(specVersion).toBe('1.5');
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const direct = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
    expect(direct.filter((one) => !listed.has(one))).toEqual([]);
    const locked = Object.entries(packages).flatMap(([place, { version, dev, devOptional, link }]) =>
      place === '' || dev || devOptional || link ? [] : [`${place.split('node_modules/').at(-1)}@${version}`],
    );
    expect(locked.filter((one) => !listed.has(one))).toEqual([]);
    expect(components.filter(({ licenses, hashes }) => !licenses?.length || !hashes.length)).toEqual([]);
  });

  it('has only allowed licences', () => {
    const { status, stdout, stderr } = run('licences.js');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`MIT\t@nestjs/core@${dependencies['@nestjs/core']}\n`);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['(BSD-3-Clause AND Apache-2.0)', true],
    ['(MIT AND GPL-3.0-only)', false],
    ['(MIT OR ISC) AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['AGPL-3.0-or-later', false],
    ['SEE LICENSE IN LICENSE', false],
    ['UNLICENSED', false],
    [undefined, false],
  ])('may be under %s: %s', (licence, allowed) => {
    const { isAllowed } = jest.requireActual<{ isAllowed: (one?: string) => boolean }>('../scripts/licences.js');
    expect(isAllowed(licence)).toBe(allowed);
  });

  it('is pinned by checksum, whichever registry it comes from', () => {
    expect(Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link)).toEqual([]);
  });
});
