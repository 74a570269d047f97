const PAGE_SIZE = 200;
/** At most five thousand rows, newest first: a longer list is no use in a menu, and it is refetched at every change. */
const MAX_PAGES = 25;

type Page = Readonly<{ limit: number; cursor?: string }>;
type Answer = Readonly<{ next_cursor: string | null }>;

/** All rows of a paged list: a missing one could be neither selected nor decided, without any hint why. */
export async function allOf<A extends Answer, T>(
  list: (page: Page) => Promise<A>,
  rowsOf: (answer: A) => readonly T[],
): Promise<readonly T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const answer: A = await list({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) });
    rows.push(...rowsOf(answer));
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return rows;
}
