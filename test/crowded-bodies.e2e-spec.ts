import { columnsOf, ownColumn } from './walls/credentials';
import { rows, send } from './walls/matrix';
import { buildWorld, type World } from './walls/world';

/** More problems than a response lists, so that those of the other fields are omitted. */
const CROWD = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`unreadable_${at}`, '\u0001']));
const ODD = [['\u0001'], {}, 'no time, no amount, no id', 7, null];

describe('a body with more problems than an answer lists', () => {
  let world: World;
  beforeAll(async () => {
    world = await buildWorld();
  });
  afterAll(() => world.stop());

  it('is refused on every route, whatever else is wrong with it', async () => {
    const columns = await columnsOf(world);
    const found: string[] = [];
    let tried = 0;
    for (const [route, row] of Object.entries(rows)) {
      // Calls that end their own credential would break the rest of this test.
      if (row.holder !== undefined) continue;
      const parts = (await row.parts?.(world)) ?? {};
      if (parts.body === undefined) continue;
      for (const name of Object.keys(parts.body)) {
        for (const odd of ODD) {
          const body = { ...CROWD, ...parts.body, [name]: odd };
          const { status } = await send(world, route, {
            headers: ownColumn(columns, row)?.headers ?? {},
            parts: { ...parts, body },
          });
          tried += 1;
          if (status < 400 || status >= 500) found.push(`${route} ${name} ${JSON.stringify(odd)}: ${status}`);
        }
      }
    }
    expect(found).toEqual([]);
    expect(tried).toBeGreaterThan(300);
  }, 120_000);
});
