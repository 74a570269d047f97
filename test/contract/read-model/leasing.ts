import { type SharedLease } from '../../../src/platform/read-model/read-model.port';
import { type Opened } from '../read-model.contract';

const NOBODYS = { holder: null, beat: 0 };

/** For stores that several instances share. */
export function leasing(opened: Opened): void {
  describe('the lease on the background work', () => {
    const lease = (): SharedLease => {
      if (opened.store.lease === undefined) throw new Error('this store has none');
      return opened.store.lease;
    };

    it('is nobody’s at first', async () => {
      expect(await lease().read()).toEqual(NOBODYS);
    });

    it('changes hands only from what was seen', async () => {
      expect(await lease().replace({ holder: 'a', beat: 0 }, { holder: 'a', beat: 1 })).toBe(false);
      expect(await lease().replace({ holder: null, beat: 1 }, { holder: 'a', beat: 2 })).toBe(false);
      expect(await lease().read()).toEqual(NOBODYS);
      expect(await lease().replace(NOBODYS, { holder: 'a', beat: 1 })).toBe(true);
      expect(await lease().replace(NOBODYS, { holder: 'b', beat: 1 })).toBe(false);
      expect(await lease().replace({ holder: 'a', beat: 2 }, { holder: 'b', beat: 3 })).toBe(false);
      expect(await lease().replace({ holder: 'b', beat: 1 }, { holder: 'b', beat: 2 })).toBe(false);
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
      expect(await lease().replace({ holder: 'a', beat: 1 }, { holder: null, beat: 2 })).toBe(true);
      expect(await lease().replace({ holder: null, beat: 2 }, { holder: 'b', beat: 3 })).toBe(true);
      expect(await lease().read()).toEqual({ holder: 'b', beat: 3 });
    });

    it('has one winner, however many want it at once, first and later', async () => {
      let seen = await lease().read();
      for (let round = 1; round <= 5; round += 1) {
        const wins = await Promise.all(
          Array.from({ length: 20 }, (_, who) => lease().replace(seen, { holder: `i${who}`, beat: round })),
        );
        expect(wins.filter(Boolean)).toHaveLength(1);
        seen = await lease().read();
        expect(seen).toEqual({ holder: `i${wins.indexOf(true)}`, beat: round });
      }
    });

    it('outlives the documents, and the store that is closed and opened', async () => {
      await lease().replace(NOBODYS, { holder: 'a', beat: 1 });
      await opened.store.reset('second');
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
      await opened.reopen();
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
    });
  });
}

/** For a store that no second process can have open. */
export function needingNoLease(opened: Opened): void {
  it('has no lease, because nobody could contend for it', () => {
    expect(opened.store.lease).toBeUndefined();
  });
}
