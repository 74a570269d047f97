const PAGE_SIZE = 200;
/** Five thousand rows, newest first: nobody chooses from a longer list, and it is read again at every change. */
const MAX_PAGES = 25;

type Page = Readonly<{ limit: number; cursor?: string }>;
type Answer = Readonly<{ next_cursor: string | null }>;

/** The rows of a paged list. What is missing from it could be neither chosen nor decided, and nobody would see why. */
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
