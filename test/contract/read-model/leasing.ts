import { type SharedLease, type SharedLeases } from '../../../src/platform/read-model/read-model.port';
import { type Opened } from '../read-model.contract';

const UNHELD = { holder: null, beat: 0 };

/** For stores that several instances share. */
export function leasing(opened: Opened): void {
  describe('the lease on the background work', () => {
    const lease = (): SharedLease => {
      if (opened.store.lease === undefined) throw new Error('this store has none');
      return opened.store.lease;
    };

    it('has no holder at first', async () => {
      expect(await lease().read()).toEqual(UNHELD);
    });

    it('is replaced only if it is still as it was read', async () => {
      expect(await lease().replace({ holder: 'a', beat: 0 }, { holder: 'a', beat: 1 })).toBe(false);
      expect(await lease().replace({ holder: null, beat: 1 }, { holder: 'a', beat: 2 })).toBe(false);
      expect(await lease().read()).toEqual(UNHELD);
      expect(await lease().replace(UNHELD, { holder: 'a', beat: 1 })).toBe(true);
      expect(await lease().replace(UNHELD, { holder: 'b', beat: 1 })).toBe(false);
      expect(await lease().replace({ holder: 'a', beat: 2 }, { holder: 'b', beat: 3 })).toBe(false);
      expect(await lease().replace({ holder: 'b', beat: 1 }, { holder: 'b', beat: 2 })).toBe(false);
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
      expect(await lease().replace({ holder: 'a', beat: 1 }, { holder: null, beat: 2 })).toBe(true);
      expect(await lease().replace({ holder: null, beat: 2 }, { holder: 'b', beat: 3 })).toBe(true);
      expect(await lease().read()).toEqual({ holder: 'b', beat: 3 });
    });

    it('has one winner, however many want it at once, at first and later', async () => {
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

    it('outlives the documents, and closing and reopening the store', async () => {
      await lease().replace(UNHELD, { holder: 'a', beat: 1 });
      await opened.store.reset('second');
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
      await opened.reopen();
      expect(await lease().read()).toEqual({ holder: 'a', beat: 1 });
    });
  });
}

/** Several leases in one document. */
export function sharingOut(opened: Opened): void {
  describe('the leases on partitions of the work', () => {
    const shares = (): SharedLeases => {
      if (opened.store.lease === undefined) throw new Error('this store has none');
      return opened.store.lease.shares;
    };
    const first = (name: string, holder: string) => ({ name, seen: undefined, next: { holder, beat: 1 } });

    it('do not exist at first, and can then be taken by several holders at once', async () => {
      expect(await shares().read()).toEqual(new Map());
      const won = await Promise.all(['a', 'b', 'c'].map((who) => shares().replace([first(`p-${who}`, who)])));
      expect(won.map((after, at) => after?.get(`p-${'abc'[at]}`)?.holder)).toEqual(['a', 'b', 'c']);
      expect([...(await shares().read()).keys()].sort()).toEqual(['p-a', 'p-b', 'p-c']);
    });

    it('are replaced all or none, only if they are still as read, and without affecting others', async () => {
      await shares().read();
      expect(await shares().replace([first('p1', 'a'), first('p2', 'a')])).toEqual(
        new Map(['p1', 'p2'].map((name) => [name, { holder: 'a', beat: 1 }])),
      );
      expect(await shares().replace([first('p3', 'b'), first('p2', 'b')])).toBeUndefined();
      const seen = { holder: 'a', beat: 1 };
      const older = { name: 'p1', seen: { holder: 'a', beat: 0 }, next: { holder: 'a', beat: 2 } };
      expect(await shares().replace([older, { name: 'p2', seen, next: { holder: 'a', beat: 2 } }])).toBeUndefined();
      const after = new Map([
        ['p1', { holder: null, beat: 2 }],
        ['p2', { holder: 'a', beat: 1 }],
      ]);
      expect(await shares().replace([{ name: 'p1', seen, next: { holder: null, beat: 2 } }])).toEqual(after);
      expect(await shares().read()).toEqual(after);
      after.delete('p2');
      expect(await shares().replace([{ name: 'p2', seen, next: undefined }])).toEqual(after);
      expect([...(await shares().read()).keys()]).toEqual(['p1']);
    });

    it('change in the same turn as the one on the background work, and neither hinders the other', async () => {
      await shares().read();
      const leader = (): SharedLease => opened.store.lease as SharedLease;
      const renewed = (beat: number) => ({
        name: 'p1',
        seen: { holder: 'a', beat },
        next: { holder: 'a', beat: beat + 1 },
      });
      const one = { holder: 'a', beat: 1 };
      expect(await Promise.all([leader().replace(UNHELD, one), shares().replace([first('p1', 'a')])])).toEqual([
        true,
        new Map([['p1', one]]),
      ]);
      const two = { holder: 'a', beat: 2 };
      expect(await Promise.all([leader().replace(UNHELD, two), shares().replace([renewed(1)])])).toEqual([
        false,
        new Map([['p1', two]]),
      ]);
      expect(await Promise.all([leader().replace(one, two), shares().replace([renewed(1)])])).toEqual([
        true,
        undefined,
      ]);
      expect([await leader().read(), await shares().read()]).toEqual([two, new Map([['p1', two]])]);
    });

    it('have one winner each, and outlive the documents', async () => {
      await shares().read();
      const wins = await Promise.all(
        Array.from({ length: 20 }, (_, who) => shares().replace([first('p1', `i${who}`)])),
      );
      expect(wins.filter(Boolean)).toHaveLength(1);
      await opened.store.reset('second');
      await opened.reopen();
      expect((await shares().read()).get('p1')).toEqual({ holder: `i${wins.findIndex(Boolean)}`, beat: 1 });
    });
  });
}

/** For a store that only one process can open. */
export function needingNoLease(opened: Opened): void {
  it('has no lease, because nobody could contend for it', () => {
    expect(opened.store.lease).toBeUndefined();
  });
}
