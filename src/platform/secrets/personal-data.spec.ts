import { isLiving, type KeptKey, type KeyShelf } from '../read-model/key-shelf.port';
import { PersonalData } from './personal-data';
import { seal } from './sealing';
import { ServiceSecret } from './service-secret';

class ShelfInMemory implements KeyShelf {
  readonly keys = new Map<string, KeptKey>();
  find = async (owner: string) => this.keys.get(owner);
  close = async () => undefined;
  async keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey> {
    const there = this.keys.get(owner);
    if (isLiving(there)) return there;
    this.keys.set(owner, { keyId, wrapped });
    return { keyId, wrapped };
  }
  async destroy(owner: string, destroyedAt: string): Promise<void> {
    this.keys.set(owner, { keyId: this.keys.get(owner)?.keyId ?? null, destroyedAt });
  }
}

describe('personal data', () => {
  const secret = new ServiceSecret('s'.repeat(32));
  const at = '2030-01-01T00:00:00.000Z';
  let shelf: ShelfInMemory;
  let personal: PersonalData;

  beforeEach(() => {
    shelf = new ShelfInMemory();
    personal = new PersonalData(secret, shelf);
  });

  it('is sealed under one key for each person, and opened for that person only', async () => {
    const one = await personal.seal('mac_1', 'a@example.com');
    const two = await personal.seal('mac_1', 'a@example.com');
    const other = await personal.seal('mac_2', 'b@example.com');
    expect(two.keyId).toBe(one.keyId);
    expect(other.keyId).not.toBe(one.keyId);
    expect(await personal.unseal('mac_1', one.keyId, one.sealed)).toBe('a@example.com');
    await expect(personal.unseal('mac_2', other.keyId, one.sealed)).rejects.toThrow();
  });

  it('is gone with the key, and only that of this person', async () => {
    const one = await personal.seal('mac_1', 'a@example.com');
    const other = await personal.seal('mac_2', 'b@example.com');
    await personal.erase('mac_1', at);
    expect(await personal.unseal('mac_1', one.keyId, one.sealed)).toBeUndefined();
    expect(await personal.unseal('mac_2', other.keyId, other.sealed)).toBe('b@example.com');
  });

  it('stays erased when the person comes back under another key', async () => {
    const before = await personal.seal('mac_1', 'a@example.com');
    await personal.erase('mac_1', at);
    const after = await personal.seal('mac_1', 'a@example.com');
    expect(after.keyId).not.toBe(before.keyId);
    expect(await personal.unseal('mac_1', before.keyId, before.sealed)).toBeUndefined();
    expect(await personal.unseal('mac_1', after.keyId, after.sealed)).toBe('a@example.com');
  });

  it('is still read where it was sealed before persons had keys, until it is erased', async () => {
    const old = seal(secret.key('account-email'), 'mac_1', 'a@example.com');
    expect(await personal.unseal('mac_1', null, old)).toBe('a@example.com');
    await personal.erase('mac_1', at);
    expect(await personal.unseal('mac_1', null, old)).toBeUndefined();
  });

  it('needs the service secret: the shelf alone opens nothing', async () => {
    const { keyId, sealed } = await personal.seal('mac_1', 'a@example.com');
    const stranger = new PersonalData(new ServiceSecret('t'.repeat(32)), shelf);
    await expect(stranger.unseal('mac_1', keyId, sealed)).rejects.toThrow();
  });
});
