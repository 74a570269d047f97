import {
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { personalKeyStoreContract } from '../../../../test/contract/personal-key-store.contract';
import { UnreadableKey } from '../personal-key-store.port';
import { FilePersonalKeyStore } from './file-personal-key-store';

const directory = mkdtempSync(join(tmpdir(), 'svc-keys-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

personalKeyStoreContract('files', () => new FilePersonalKeyStore(directory));

describe('a destroyed key', () => {
  const AT = '2030-01-01T00:00:00.000Z';
  const textsIn = (place: string): string =>
    readdirSync(place)
      .filter((name) => name.startsWith('mac_'))
      .map((name) => readFileSync(join(place, name), 'utf8'))
      .join('');

  it('is in no file any more', async () => {
    const keyStore = new FilePersonalKeyStore(directory);
    await keyStore.keep('mac_1', 'k1', 'needle-in-the-haystack');
    await keyStore.destroy('mac_1', '2030-01-01T00:00:00.000Z');
    const texts = textsIn(directory);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts).not.toContain('needle');
  });

  it.each([
    ['the second name', (file: string) => linkSync(file, `${file}.doomed`)],
    [
      'the note',
      (file: string) => {
        linkSync(file, `${file}.doomed`);
        writeFileSync(`${file}.new`, JSON.stringify({ keyId: 'k1', destroyedAt: AT }));
        renameSync(`${file}.new`, file);
      },
    ],
  ])('whose destruction was interrupted after %s is finished by the next attempt', async (_, die) => {
    const place = mkdtempSync(join(directory, 'cut-'));
    const keyStore = new FilePersonalKeyStore(place);
    await keyStore.keep('mac_2', 'k1', 'needle-in-the-haystack');
    die(join(place, 'mac_2.json'));
    await expect(keyStore.find('mac_2')).resolves.toBeDefined();
    await new FilePersonalKeyStore(place).destroy('mac_2', AT);
    expect(await keyStore.find('mac_2')).toEqual({ keyId: 'k1', destroyedAt: AT });
    expect([textsIn(place).includes('needle'), readdirSync(place)]).toEqual([false, ['mac_2.json']]);
  });

  it('that an older version left blank counts as destroyed, and can be created again', async () => {
    const place = mkdtempSync(join(directory, 'blank-'));
    const keyStore = new FilePersonalKeyStore(place);
    writeFileSync(join(place, 'mac_3.json'), ' '.repeat(80));
    expect(await keyStore.find('mac_3')).toEqual({ keyId: null, destroyedAt: expect.stringMatching(/^\d{4}-/) });
    await keyStore.destroy('mac_3', AT);
    expect(readFileSync(join(place, 'mac_3.json'), 'utf8')).toContain('destroyedAt');
    expect(await keyStore.keep('mac_3', 'k2', 'again')).toEqual({ keyId: 'k2', wrapped: 'again' });
  });

  it.each([
    ['its second name', (file: string) => linkSync(file, `${file}.replaced`), 'needle-one'],
    [
      'the same key wrapped anew',
      (file: string) => {
        linkSync(file, `${file}.replaced`);
        writeFileSync(`${file}.rewrapped`, JSON.stringify({ keyId: 'k1', wrapped: 'needle-two' }));
      },
      'needle-one',
    ],
    [
      'its place was taken',
      (file: string) => {
        linkSync(file, `${file}.replaced`);
        writeFileSync(`${file}.rewrapped`, JSON.stringify({ keyId: 'k1', wrapped: 'needle-two' }));
        renameSync(`${file}.rewrapped`, file);
      },
      'needle-two',
    ],
  ])('of which a process that died while rewrapping it left %s is in no file any more', async (_, die, kept) => {
    const place = mkdtempSync(join(directory, 'rewrap-'));
    const keyStore = new FilePersonalKeyStore(place);
    for (const who of ['mac_4', 'mac_5']) {
      await keyStore.keep(who, 'k1', 'needle-one');
      die(join(place, `${who}.json`));
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', wrapped: kept });
    }
    expect(await keyStore.rewrap('mac_4', { keyId: 'k1', wrapped: kept }, 'needle-three')).toBe(true);
    expect(await keyStore.find('mac_4')).toEqual({ keyId: 'k1', wrapped: 'needle-three' });
    await keyStore.destroy('mac_4', AT);
    await keyStore.destroy('mac_5', AT);
    expect([textsIn(place).includes('needle'), readdirSync(place).sort()]).toEqual([
      false,
      ['mac_4.json', 'mac_5.json'],
    ]);
  });

  it('that was damaged before is destroyed like any other, and its bytes are gone', async () => {
    const place = mkdtempSync(join(directory, 'damaged-'));
    const keyStore = new FilePersonalKeyStore(place);
    const file = join(place, 'mac_4.json');
    writeFileSync(file, '{"keyId":"k1","wrapped":"needle-in-the');
    await expect(keyStore.find('mac_4')).rejects.toThrow(UnreadableKey);
    const bytes = openSync(file, 'r');
    await keyStore.destroy('mac_4', AT);
    expect(await keyStore.find('mac_4')).toEqual({ keyId: null, destroyedAt: AT });
    expect(readFileSync(bytes, 'utf8')).not.toContain('needle');
    closeSync(bytes);
    expect(readdirSync(place)).toEqual(['mac_4.json']);
  });

  it('belongs to an owner whose name is not a path', async () => {
    await expect(new FilePersonalKeyStore(directory).find('../service-secret')).rejects.toThrow('no name');
  });
});
