import {
  isLiving,
  type KeptKey,
  type PersonalKeyStore,
  type LivingKey,
  UnreadableKey,
} from '../read-model/personal-key-store.port';
import { PersonalData } from './personal-data';
import { seal } from './sealing';
import { secretOf, ServiceSecret } from './service-secret';

class KeyStoreInMemory implements PersonalKeyStore {
  readonly keys = new Map<string, KeptKey>();
  find = async (owner: string) => this.keys.get(owner);
  placeOf = (owner: string) => owner;
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
  async *owners(): AsyncGenerator<string, void> {
    for (const [owner, kept] of this.keys) if (isLiving(kept)) yield owner;
  }
  async rewrap(owner: string, before: LivingKey, wrapped: string): Promise<boolean> {
    const there = this.keys.get(owner);
    if (!isLiving(there) || there.wrapped !== before.wrapped) return false;
    this.keys.set(owner, { keyId: there.keyId, wrapped });
    return true;
  }
}

describe('personal data', () => {
  const secret = new ServiceSecret('s'.repeat(32));
  const at = '2030-01-01T00:00:00.000Z';
  let keyStore: KeyStoreInMemory;
  let personal: PersonalData;

  beforeEach(() => {
    keyStore = new KeyStoreInMemory();
    personal = new PersonalData(secret, keyStore);
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

  it('is gone with the key, for this person only', async () => {
    const one = await personal.seal('mac_1', 'a@example.com');
    const other = await personal.seal('mac_2', 'b@example.com');
    await keyStore.destroy('mac_1', at);
    expect(await personal.unseal('mac_1', one.keyId, one.sealed)).toBeUndefined();
    expect(await personal.unseal('mac_2', other.keyId, other.sealed)).toBe('b@example.com');
  });

  it('stays erased when the person comes back under another key', async () => {
    const before = await personal.seal('mac_1', 'a@example.com');
    await keyStore.destroy('mac_1', at);
    const after = await personal.seal('mac_1', 'a@example.com');
    expect(after.keyId).not.toBe(before.keyId);
    expect(await personal.unseal('mac_1', before.keyId, before.sealed)).toBeUndefined();
    expect(await personal.unseal('mac_1', after.keyId, after.sealed)).toBe('a@example.com');
  });

  it('is still readable if it was sealed before people had keys, until it is erased', async () => {
    const old = seal(secret.key('account-email'), 'mac_1', 'a@example.com');
    expect(await personal.unseal('mac_1', null, old)).toBe('a@example.com');
    await keyStore.destroy('mac_1', at);
    expect(await personal.unseal('mac_1', null, old)).toBeUndefined();
  });

  it.each(['mac_1', 'pdk_1'])(
    'is not sealed under a key that was moved there from another place: %s',
    async (moved) => {
      const { keyId } = await personal.seal('mac_1', 'a@example.com');
      const { wrapped } = keyStore.keys.get('mac_1') as LivingKey;
      // Whoever can write to the key store could have two people share a key, and erase neither with it.
      if (moved === 'mac_1') keyStore.keys.set('mac_2', { keyId, wrapped });
      else keyStore.keys.set('mac_1', { keyId: 'pdk_1', wrapped });
      await expect(personal.seal(moved === 'mac_1' ? 'mac_2' : 'mac_1', 'b@example.com')).rejects.toThrow();
    },
  );

  it('needs the service secret: the key store alone opens nothing', async () => {
    const { keyId, sealed } = await personal.seal('mac_1', 'a@example.com');
    const stranger = new PersonalData(new ServiceSecret('t'.repeat(32)), keyStore);
    await expect(stranger.unseal('mac_1', keyId, sealed)).rejects.toThrow();
  });

  describe('when another service secret replaced the first', () => {
    const next = new ServiceSecret('n'.repeat(32));
    next.learn(secret.sealedFor(next));
    const wrappedOf = (owner: string): string => (keyStore.keys.get(owner) as LivingKey).wrapped;

    it('is readable before and after its key was rewrapped, which happens once', async () => {
      const { keyId, sealed } = await personal.seal('mac_1', 'a@example.com');
      const old = wrappedOf('mac_1');
      const after = new PersonalData(next, keyStore);
      expect(await after.unseal('mac_1', keyId, sealed)).toBe('a@example.com');
      expect([await after.rewrap('mac_1'), await after.rewrap('mac_1')]).toEqual(['rewrapped', 'left']);
      expect(await after.unseal('mac_1', keyId, sealed)).toBe('a@example.com');
      expect([secretOf(old), secretOf(wrappedOf('mac_1'))]).toEqual([1, 2]);
      await expect(personal.unseal('mac_1', keyId, sealed)).rejects.toThrow('no key of secret 2');
    });

    it('has its key written once more if it is wrapped already: the previous wrapping may still be there', async () => {
      const after = new PersonalData(next, keyStore);
      await after.seal('mac_1', 'a@example.com');
      const rewrap = jest.spyOn(keyStore, 'rewrap');
      expect(await after.rewrap('mac_1')).toBe('left');
      const kept = keyStore.keys.get('mac_1') as LivingKey;
      expect(rewrap.mock.calls).toEqual([['mac_1', kept, kept.wrapped]]);
    });

    it('is reported if its key cannot be read; a store that is away is not taken for that', async () => {
      const after = new PersonalData(next, keyStore);
      jest.spyOn(keyStore, 'find').mockRejectedValueOnce(new UnreadableKey('mac_1'));
      expect(await after.rewrap('mac_1')).toBe('unreadable');
      jest.spyOn(keyStore, 'find').mockRejectedValueOnce(new Error('away'));
      await expect(after.rewrap('mac_1')).rejects.toThrow('away');
    });

    it('is still readable if it was sealed before people had keys', async () => {
      const old = seal(secret.key('account-email'), 'mac_1', 'a@example.com');
      expect(await new PersonalData(next, keyStore).unseal('mac_1', null, old)).toBe('a@example.com');
    });

    it('stays erased, and what cannot be opened stays as it is', async () => {
      await personal.seal('mac_1', 'a@example.com');
      await keyStore.destroy('mac_1', at);
      await new PersonalData(new ServiceSecret('x'.repeat(32)), keyStore).seal('mac_2', 'b@example.com');
      const strange = wrappedOf('mac_2');
      const after = new PersonalData(next, keyStore);
      expect([await after.rewrap('mac_1'), await after.rewrap('mac_2')]).toEqual(['left', 'unreadable']);
      expect(keyStore.keys.get('mac_1')).toHaveProperty('destroyedAt', at);
      expect(wrappedOf('mac_2')).toBe(strange);
    });
  });
});
