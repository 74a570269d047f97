import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { personalKeyStoreContract } from '../../../../test/contract/personal-key-store.contract';
import { UnreadableKey } from '../personal-key-store.port';
import { FilePersonalKeyStore } from './personal-keys';

const directory = mkdtempSync(join(tmpdir(), 'svc-keys-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

personalKeyStoreContract('files', () => new FilePersonalKeyStore(directory));

const AT = '2030-01-01T00:00:00.000Z';
const REGISTER = join(__dirname, '../../../../test/support/register-swc.js');
const newPlace = (): string => mkdtempSync(join(directory, 'place-'));
const textsIn = (place: string): string =>
  readdirSync(place)
    .filter((name) => name.startsWith('mac_'))
    .map((name) => readFileSync(join(place, name), 'utf8'))
    .join('');

describe('a destroyed key', () => {
  it('is in no file any more', async () => {
    const place = newPlace();
    const keyStore = new FilePersonalKeyStore(place);
    await keyStore.keep('mac_1', 'k1', 'needle-in-the-haystack');
    expect(await keyStore.rewrap('mac_1', { keyId: 'k1', wrapped: 'needle-in-the-haystack' }, 'needle-again')).toBe(
      true,
    );
    await keyStore.destroy('mac_1', AT);
    expect(textsIn(place)).toBe(`${JSON.stringify({ keyId: 'k1', destroyedAt: AT })}\n`);
    expect(readdirSync(place)).toEqual(['mac_1.json']);
    expect(statSync(join(place, 'mac_1.json')).mode & 0o077).toBe(0);
  });

  it.each(['keep', 'rewrap', 'destroy'])(
    'is in no file any more though a process was killed at any step of %s before',
    async (step) => {
      const calls: Record<string, string> = {
        keep: `store.keep('mac_2', 'k2', 'needle-two')`,
        rewrap: `store.rewrap('mac_2', { keyId: 'k1', wrapped: 'needle-one' }, 'needle-two')`,
        destroy: `store.destroy('mac_2', ${JSON.stringify(AT)})`,
      };
      // Killed when it is about to do its nth operation on a file.
      const script = `const fs = require('node:fs/promises');
        let left = Number(process.argv[2]);
        for (const name of ['open', 'rename', 'rm']) {
          const real = fs[name];
          fs[name] = (...words) => (left-- === 0 ? process.kill(process.pid, 'SIGKILL') : real(...words));
        }
        const { FilePersonalKeyStore } = require(${JSON.stringify(join(__dirname, 'personal-keys.ts'))});
        const store = new FilePersonalKeyStore(process.argv[1]);
        ${calls[step]}.then(() => process.exit(0));`;
      const found: unknown[] = [];
      for (let operation = 0; ; operation += 1) {
        const place = newPlace();
        const keyStore = new FilePersonalKeyStore(place);
        if (step !== 'keep') await keyStore.keep('mac_2', 'k1', 'needle-one');
        const { signal, status } = spawnSync(process.execPath, ['-r', REGISTER, '-e', script, place, `${operation}`]);
        const there = await keyStore.find('mac_2');
        found.push(there === undefined ? 'none' : 'wrapped' in there ? there.wrapped : 'destroyed');
        await keyStore.destroy('mac_2', '2031-01-01T00:00:00.000Z');
        expect(textsIn(place)).not.toContain('needle');
        expect(readdirSync(place)).toEqual(['mac_2.json']);
        if (signal === null) {
          expect(status).toBe(0);
          break;
        }
      }
      const [before, after] =
        { keep: ['none', 'needle-two'], rewrap: ['needle-one', 'needle-two'], destroy: ['needle-one', 'destroyed'] }[
          step
        ] ?? [];
      expect(found.length).toBeGreaterThan(4);
      expect([found[0], found.at(-1)]).toEqual([before, after]);
      expect(found.every((one) => one === before || one === after)).toBe(true);
    },
    60_000,
  );

  it('that was damaged before is destroyed like any other', async () => {
    const place = newPlace();
    const keyStore = new FilePersonalKeyStore(place);
    const file = join(place, 'mac_4.json');
    for (const text of ['{"keyId":"k1","wrapped":"needle-in-the', '', 'null', '{}']) {
      writeFileSync(file, text);
      await expect(keyStore.find('mac_4')).rejects.toThrow(UnreadableKey);
      await keyStore.destroy('mac_4', AT);
      expect(await keyStore.find('mac_4')).toEqual({ keyId: null, destroyedAt: AT });
      expect(textsIn(place)).not.toContain('needle');
      rmSync(file);
    }
  });

  it('belongs to an owner whose name is not a path', async () => {
    const keyStore = new FilePersonalKeyStore(directory);
    await expect(keyStore.find('../service-secret')).rejects.toThrow('no name');
    await expect(keyStore.destroy('../service-secret', AT)).rejects.toThrow('no name');
  });
});
