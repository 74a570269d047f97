import { type PersonalKeyStore } from '../../src/platform/read-model/personal-key-store.port';
import { newId } from '../../src/kernel/ids';

const AT = '2030-01-01T00:00:00.000Z';

/** The contract of every personal key store. `open` opens the same storage each time. */
export function personalKeyStoreContract(name: string, open: () => PersonalKeyStore): void {
  describe(`personal keys on ${name}`, () => {
    let keyStore: PersonalKeyStore;
    const owner = (): string => newId('mac');

    beforeAll(() => {
      keyStore = open();
    });
    afterAll(() => keyStore.close());

    it('do not exist before they are stored', async () => {
      expect(await keyStore.find(owner())).toBeUndefined();
    });

    it('are found when the key store is opened again', async () => {
      const who = owner();
      expect(await keyStore.keep(who, 'k1', 'wrapped')).toEqual({ keyId: 'k1', wrapped: 'wrapped' });
      const again = open();
      expect(await again.find(who)).toEqual({ keyId: 'k1', wrapped: 'wrapped' });
      await again.close();
    });

    it('exist once for each person: a second caller gets the first key', async () => {
      const who = owner();
      const other = open();
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? keyStore : other).keep(who, `k${index}`, `w${index}`)),
      );
      await other.close();
      const there = await keyStore.find(who);
      expect(new Set(kept.map((one) => one.keyId))).toEqual(new Set([there?.keyId]));
    });

    it('leave only a tombstone when they are destroyed', async () => {
      const who = owner();
      await keyStore.keep(who, 'k1', 'wrapped');
      await keyStore.destroy(who, AT);
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', destroyedAt: AT });
      await keyStore.destroy(who, '2031-01-01T00:00:00.000Z');
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', destroyedAt: AT });
    });

    it('leave a tombstone even if there was no key', async () => {
      const who = owner();
      await keyStore.destroy(who, AT);
      expect(await keyStore.find(who)).toEqual({ keyId: null, destroyedAt: AT });
    });

    it('can be created again after they were destroyed', async () => {
      const who = owner();
      await keyStore.keep(who, 'k1', 'wrapped');
      await keyStore.destroy(who, AT);
      expect(await keyStore.keep(who, 'k2', 'again')).toEqual({ keyId: 'k2', wrapped: 'again' });
      expect(await keyStore.find(who)).toEqual({ keyId: 'k2', wrapped: 'again' });
    });

    it('are listed by owner, without destroyed ones', async () => {
      const [living, gone] = [owner(), owner()];
      for (const who of [living, gone]) await keyStore.keep(who, 'k1', 'wrapped');
      await keyStore.destroy(gone, AT);
      const owners: string[] = [];
      for await (const who of keyStore.owners()) owners.push(who);
      expect(owners.filter((who) => [living, gone].includes(who))).toEqual([living]);
    });

    it('can be rewrapped, and stay the same keys', async () => {
      const who = owner();
      const before = { keyId: 'k1', wrapped: 'wrapped' };
      await keyStore.keep(who, 'k1', 'wrapped');
      expect(await keyStore.rewrap(who, before, 'anew')).toBe(true);
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', wrapped: 'anew' });
      expect(await keyStore.rewrap(who, before, 'once more')).toBe(false);
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', wrapped: 'anew' });
      await keyStore.destroy(who, AT);
      expect(await keyStore.find(who)).toEqual({ keyId: 'k1', destroyedAt: AT });
    });

    it('are not restored by a rewrap that runs while they are destroyed', async () => {
      const all = Array.from({ length: 20 }, owner);
      const other = open();
      for (const who of all) await keyStore.keep(who, 'k1', 'wrapped');
      await Promise.all(
        all.flatMap((who) => [
          keyStore.rewrap(who, { keyId: 'k1', wrapped: 'wrapped' }, 'anew'),
          other.destroy(who, AT),
        ]),
      );
      await other.close();
      for (const who of all) expect(await keyStore.find(who)).toEqual({ keyId: 'k1', destroyedAt: AT });
    });
  });
}
