import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextSecretIn, putNextSecretInPlace, removeSecretFile, secretThere, serviceSecretIn } from './secret-file';

describe('the file of a service secret that is replaced', () => {
  let outside: string;
  let folder: string;
  let witness: string;
  let before: string;

  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'svc-secret-file-'));
    folder = join(outside, 'data');
    before = serviceSecretIn(folder);
    // Another name for the same bytes on the disk: what is in them when nothing else leads to them.
    witness = join(outside, 'witness');
    linkSync(join(folder, 'service-secret'), witness);
  });
  afterEach(() => rmSync(outside, { recursive: true }));

  it('holds the next one, for its owner only, and the one before is nowhere, not even in free blocks', () => {
    const next = nextSecretIn(folder);
    expect([nextSecretIn(folder), secretThere(folder)]).toEqual([next, before]);
    expect(statSync(join(folder, 'service-secret.next')).mode & 0o777).toBe(0o600);
    putNextSecretInPlace(folder);
    expect([serviceSecretIn(folder), readdirSync(folder)]).toEqual([next, ['service-secret']]);
    expect(statSync(join(folder, 'service-secret')).mode & 0o777).toBe(0o600);
    expect(readFileSync(witness, 'utf8')).toMatch(/^ {44}$/);
  });

  it('is put in place by whoever finds that another process died at it', () => {
    const next = nextSecretIn(folder);
    // As it is left just before the change: the replaced one has two names.
    linkSync(join(folder, 'service-secret'), join(folder, 'service-secret.replaced'));
    writeFileSync(join(folder, 'service-secret.new'), 'half');
    putNextSecretInPlace(folder);
    expect([serviceSecretIn(folder), readdirSync(folder)]).toEqual([next, ['service-secret']]);
    expect(readFileSync(witness, 'utf8').trim()).toBe('');
  });

  it('goes if the next one is kept elsewhere, and so does one that was generated for it', () => {
    nextSecretIn(folder);
    removeSecretFile(folder);
    removeSecretFile(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(readFileSync(witness, 'utf8')).toMatch(/^ {44}$/);
  });

  it('is never taken for a secret if it is shorter than one, nor left readable by others', () => {
    writeFileSync(join(folder, 'service-secret'), 'x'.repeat(31));
    expect(() => serviceSecretIn(folder)).toThrow('holds no secret');
    expect([secretThere(folder), existsSync(join(folder, 'service-secret'))]).toEqual([undefined, true]);
    writeFileSync(join(folder, 'service-secret'), `${'x'.repeat(32)}\n`);
    chmodSync(join(folder, 'service-secret'), 0o644);
    expect([serviceSecretIn(folder), secretThere(folder)]).toEqual(['x'.repeat(32), 'x'.repeat(32)]);
    expect(statSync(join(folder, 'service-secret')).mode & 0o777).toBe(0o600);
  });
});
