import { type KeySettings, newKeySettings, open, seal, stretch, vaultKey } from './vault.ts';

const settings: KeySettings = { ...newKeySettings(), n: 2 ** 10 };
const secret = () => new TextEncoder().encode('illness spike retreat');
const keyFor = (passphrase: string) => vaultKey(stretch(passphrase, settings));

describe('the vault', () => {
  it('gives back what was sealed, to the same passphrase alone', async () => {
    const sealed = await seal(await keyFor('correct horse'), 'words', secret());
    expect(await open(await keyFor('correct horse'), 'words', sealed)).toEqual(secret());
    expect(await open(await keyFor('correct horsf'), 'words', sealed)).toBeUndefined();
  });

  it('takes a passphrase however the keyboard composes it', async () => {
    const sealed = await seal(await keyFor('caf\u00e9 au lait'), 'words', secret());
    expect(await open(await keyFor('cafe\u0301 au lait'), 'words', sealed)).toEqual(secret());
  });

  it('notices a changed byte, and one box in the place of another', async () => {
    const key = await keyFor('correct horse');
    const sealed = await seal(key, 'words', secret());
    const changed = new Uint8Array(sealed.data.slice(0));
    changed[0]! ^= 1;
    expect(await open(key, 'words', { ...sealed, data: changed.buffer })).toBeUndefined();
    expect(await open(key, 'device', sealed)).toBeUndefined();
  });

  it('never seals twice with the same vector, shows nothing of what it holds, and keeps its key to itself', async () => {
    const key = await keyFor('correct horse');
    const [one, two] = [await seal(key, 'words', secret()), await seal(key, 'words', secret())];
    expect(one.iv).not.toEqual(two.iv);
    expect(Buffer.from(one.data).includes('illness')).toBe(false);
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
  });

  it('makes guessing expensive: 128 MiB and a salt of its own for each vault', () => {
    const { n, r, p, salt } = newKeySettings();
    expect(128 * n * r * p).toBe(128 * 1024 * 1024);
    expect(salt).not.toEqual(newKeySettings().salt);
  });
});
