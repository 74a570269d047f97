import { type Endpoint } from './connection-string';
import { type Member } from './gossip';
import { surveyCluster } from './leader-search';

const at = (port: number): Endpoint => ({ address: '127.0.0.1', port });
const [one, two, three] = [at(1), at(2), at(3)];
const members = (leader: Endpoint | undefined): Member[] =>
  [one, two, three].map((endpoint) => ({ endpoint, isLeader: endpoint === leader, isAlive: true }));

describe('the search for the leader', () => {
  const never = new Promise<never>(() => undefined);
  const look = (
    views: Readonly<Record<number, Promise<readonly Member[]> | readonly Member[]>>,
    start = [one, two, three],
  ) =>
    surveyCluster(start, async ({ port }) => {
      const view = views[port];
      if (view === undefined) throw new Error('refused');
      return view;
    });

  it('finds the node that claims to lead', async () => {
    expect(await look({ 1: members(two), 2: members(two), 3: members(two) })).toMatchObject({ leader: two });
  });

  it('does not trust others that name a frozen or dead node', async () => {
    for (const views of [
      { 1: never, 2: members(one), 3: members(one) },
      { 2: members(one), 3: members(one) },
    ]) {
      const { leader, responsive } = await look(views);
      expect(leader).toBeUndefined();
      expect([two, three]).toContainEqual(responsive);
    }
  });

  it('trusts the others when a deposed leader has not noticed', async () => {
    expect(await look({ 1: members(one), 2: members(two), 3: members(two) })).toMatchObject({ leader: two });
  });

  it('also asks nodes that only other nodes have named', async () => {
    const { leader, known } = await look({ 1: members(three), 2: members(three), 3: members(three) }, [one]);
    expect(leader).toEqual(three);
    expect(known).toHaveLength(3);
  });

  it('accepts a standalone node under any address', async () => {
    const alone = [{ endpoint: { address: '10.0.0.7', port: 2113 }, isLeader: true, isAlive: true }];
    expect(await look({ 1: alone }, [one])).toMatchObject({ leader: one, isAlone: true });
    expect(await look({ 1: members(one), 2: members(one), 3: members(one) })).toMatchObject({ isAlone: false });
  });

  it('finds no node if none answers', async () => {
    expect(await look({})).toMatchObject({ leader: undefined, responsive: undefined });
  });
});
