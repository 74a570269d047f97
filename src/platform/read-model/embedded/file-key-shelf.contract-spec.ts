import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyShelfContract } from '../../../../test/contract/key-shelf.contract';
import { FileKeyShelf } from './file-key-shelf';

const directory = mkdtempSync(join(tmpdir(), 'svc-keys-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

keyShelfContract('files', () => new FileKeyShelf(directory));

describe('a destroyed key', () => {
  it('is in no file any more', async () => {
    const shelf = new FileKeyShelf(directory);
    await shelf.keep('mac_1', 'k1', 'needle-in-the-haystack');
    await shelf.destroy('mac_1', '2030-01-01T00:00:00.000Z');
    const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join('')).not.toContain('needle');
  });

  it('belongs to a name that is no path', async () => {
    await expect(new FileKeyShelf(directory).find('../service-secret')).rejects.toThrow('no name');
  });
});
