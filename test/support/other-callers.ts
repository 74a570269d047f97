/** What callers who do nothing wrong notice of it all. */
export type Noticed = Readonly<{
  statuses: Readonly<Record<string, number>>;
  p50: number;
  p99: number;
  longest: number;
}>;

const AT_ONCE = 4;

/** Calls so many times, a few at once, and tells how that went. */
export async function askAround(
  count: number,
  one: (index: number) => Promise<Readonly<{ status: number | string }>>,
): Promise<Noticed> {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const begun = performance.now();
      const answer = await one((next += 1)).catch((error: unknown) => ({ status: reasonOf(error) }));
      times.push(performance.now() - begun);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { statuses, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** fetch hides what happened behind a cause, which is no instance of the Error known here. */
export const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: Readonly<{ message?: string }> };
  return cause?.message ?? String(error);
};
