import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns';

describe('turns', () => {
  it('are given to a few at a time, in order, and never at once', async () => {
    const turns = new Turns(3);
    const went: number[] = [];
    for (let one = 0; one < 8; one += 1) void turns.myTurn().then(() => went.push(one));
    await Promise.resolve();
    expect(went).toEqual([]);
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await nextTurn();
      seen.push(went.length);
    }
    expect([seen, went]).toEqual([
      [3, 6, 8, 8],
      [0, 1, 2, 3, 4, 5, 6, 7],
    ]);
  });

  it('come to every waiter, even to those who ask again and again', async () => {
    const turns = new Turns(8);
    const counts = Array.from({ length: 3_000 }, () => 0);
    await Promise.all(
      counts.map(async (_, one) => {
        for (let again = 0; again < 3; again += 1) {
          await turns.myTurn();
          counts[one] = (counts[one] ?? 0) + 1;
        }
      }),
    );
    expect(new Set(counts)).toEqual(new Set([3]));
    await turns.myTurn();
  });
});
