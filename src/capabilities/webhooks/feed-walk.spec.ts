import fc from 'fast-check';
import { type MerchantFeedEntry } from '../../../projections/merchant-feed.projection';
import { FeedWalk, type WalkItem, walkItem } from './feed-walk';

const NONE: ReadonlySet<never> = new Set();

const entry = (cursor: number, subject: string, version = cursor): MerchantFeedEntry => ({
  id: `mer_1:${cursor}`,
  merchant_id: 'mer_1',
  cursor,
  type: 'payment_request.created',
  event_id: `evt_${cursor}`,
  stream: `payment_request-${subject}`,
  version,
  occurred_at: '2030-01-01T00:00:00.000Z',
  receivers: ['whe_1'],
});
const itemsOf = (...subjects: string[]): WalkItem[] =>
  subjects.map((subject, index) => walkItem(entry(index + 1, subject), 'whe_1'));
const cursorOf = (item: WalkItem | undefined): number | undefined => item?.facts.cursor;
const takeAll = (walk: FeedWalk): WalkItem[] => {
  const taken: WalkItem[] = [];
  for (let item = walk.take(); item !== undefined; item = walk.take()) taken.push(item);
  return taken;
};

describe('an endpoint’s progress along the feed', () => {
  it('is one delivery at a time for each payment request, and does not wait for others', () => {
    const walk = new FeedWalk(0);
    walk.add(itemsOf('a', 'a', 'b', 'a'), NONE, 4);
    const [first, other] = takeAll(walk);
    expect([cursorOf(first), cursorOf(other), walk.readyCount]).toEqual([1, 3, 0]);
    walk.settle(first!);
    expect(takeAll(walk).map(cursorOf)).toEqual([2]);
  });

  it('has reached everything before the first item that is not settled', () => {
    const walk = new FeedWalk(0);
    const [one, two, three] = itemsOf('a', 'b', 'c');
    walk.add([one!, two!, three!], NONE, 9);
    expect(walk.reachedWith(new Set())).toBe(0);
    expect(walk.reachedWith(new Set([1]))).toBe(1);
    walk.settle(two!);
    expect(walk.reachedWith(new Set([1]))).toBe(2);
    walk.settle(one!);
    walk.settle(three!);
    expect(walk.reachedWith(new Set())).toBe(9);
  });

  it('hands over all of a lane whose first item got a stream of its own, and never sends held items', () => {
    const walk = new FeedWalk(0);
    const [first, second, third, held] = itemsOf('a', 'a', 'a', 'b');
    walk.add([first!, second!, third!, held!], new Set([held!]), 4);
    expect(takeAll(walk)).toEqual([first]);
    expect(walk.takeBehind(first!)).toEqual([second, third]);
    expect(walk.takeBehind(first!)).toEqual([]);
    walk.drop([second!, third!]);
    walk.settle(first!);
    expect(takeAll(walk)).toEqual([]);
    expect(walk.reachedWith(new Set())).toBe(3);
    walk.drop([held!]);
    expect(walk.reachedWith(new Set())).toBe(4);
  });

  it('is past what is settled, and nothing before it in its lane is left', () => {
    const walk = new FeedWalk(0);
    const [first, , second] = itemsOf('a', 'b', 'a');
    walk.add([first!, second!], NONE, 3);
    const lane = first!.facts.lane;
    const past = () => [1, 2, 3, 4].map((cursor) => walk.isPast(lane, cursor));
    expect(past()).toEqual([false, false, false, false]);
    walk.settle(first!);
    expect(past()).toEqual([true, true, false, false]);
    walk.settle(second!);
    expect(past()).toEqual([true, true, true, false]);
    const [third] = itemsOf('a').map((item) => ({ ...item, facts: { ...item.facts, cursor: 4 } }));
    walk.add([third!], new Set([third!]), 4);
    expect(past()).toEqual([false, false, false, false]);
    walk.streamOpened(third!);
    expect(past()).toEqual([true, true, true, true]);
  });

  it('sends nothing of a lane while earlier items of it are still getting streams, whenever they were read', () => {
    const walk = new FeedWalk(0);
    const [one, two, three, four] = itemsOf('a', 'a', 'a', 'a');
    const { lane } = one!.facts;
    expect(walk.add([one!], new Set([one!]), 1)).toEqual([one]);
    // Read a moment later, when nothing of the lane is waiting in a stream yet: they must not overtake it.
    expect(walk.add([two!], NONE, 2)).toEqual([two]);
    walk.streamOpened(one!);
    expect(walk.isPast(lane, 1)).toBe(false);
    expect(walk.add([three!], NONE, 3)).toEqual([three]);
    walk.streamOpened(two!);
    expect([walk.take(), walk.isPast(lane, 3), walk.reachedWith(new Set())]).toEqual([undefined, false, 2]);
    walk.streamOpened(three!);
    expect([walk.isPast(lane, 3), walk.reachedWith(new Set())]).toEqual([true, 3]);
    expect(walk.add([four!], NONE, 4)).toEqual([]);
    expect(walk.take()).toBe(four);
  });

  it('lets an item wait behind those of its lane that are here, although the lane is open elsewhere', () => {
    const walk = new FeedWalk(0);
    const [one, two, three] = itemsOf('a', 'a', 'a');
    walk.add([one!], NONE, 1);
    expect(walk.add([two!], new Set([two!]), 2)).toEqual([]);
    expect(walk.takeBehind(one!)).toEqual([two]);
    // Read while the one before it got its stream.
    walk.add([three!], NONE, 3);
    expect(walk.takeBehind(one!)).toEqual([three]);
  });

  it('takes each of very many once', () => {
    const walk = new FeedWalk(0);
    const cursors = Array.from({ length: 1_000 }, (_, index) => index + 1);
    walk.add(itemsOf(...cursors.map(String)), NONE, cursors.length);
    const taken = cursors.map((cursor) => {
      const item = walk.take();
      expect(walk.readyCount).toBe(cursors.length - cursor);
      return cursorOf(item);
    });
    expect([taken, walk.take()]).toEqual([cursors, undefined]);
  });

  it('takes what was put back before anything else', () => {
    const walk = new FeedWalk(0);
    walk.add(itemsOf('a', 'b'), NONE, 2);
    const first = walk.take();
    walk.putBack(first!);
    expect(takeAll(walk).map(cursorOf)).toEqual([1, 2]);
  });

  it('keeps the order of every payment request and forgets none, however it goes', () => {
    const subjects = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(subjects, fc.infiniteStream(fc.nat()), (names, choices) => {
        const walk = new FeedWalk(0);
        const items = itemsOf(...names);
        walk.add(items, NONE, items.length);
        const underWay: WalkItem[] = [];
        const settled: WalkItem[] = [];
        while (settled.length < items.length) {
          const choice = choices.next().value as number;
          const next = choice % 2 === 0 ? walk.take() : undefined;
          if (next !== undefined) underWay.push(next);
          else if (underWay.length > 0) {
            const [done] = underWay.splice(choice % underWay.length, 1);
            if (choice % 5 === 0) walk.putBack(done!);
            else {
              walk.settle(done!);
              settled.push(done!);
            }
          }
        }
        expect(walk.reachedWith(new Set())).toBe(items.length);
        for (const name of new Set(names)) {
          const own = settled.filter(({ facts }) => facts.subject_id === name).map(cursorOf);
          expect(own).toEqual([...own].sort((one, other) => Number(one) - Number(other)));
        }
      }),
    );
  });
});
