const LARGEST_PAGE = 200;

type Page = Readonly<{ limit: number; cursor?: string }>;
type Answer = Readonly<{ next_cursor: string | null }>;

/** Every row of a paged list. A choice that is missing from a form could not be made, and nobody would see why. */
export async function allOf<A extends Answer, T>(
  list: (page: Page) => Promise<A>,
  rowsOf: (answer: A) => readonly T[],
): Promise<readonly T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const answer: A = await list({ limit: LARGEST_PAGE, ...(cursor === null ? {} : { cursor }) });
    rows.push(...rowsOf(answer));
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return rows;
}
