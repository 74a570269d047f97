/** What well-behaved callers experience meanwhile. */
export type CallStats = Readonly<{
  statuses: Readonly<Record<string, number>>;
  p50: number;
  p99: number;
  longest: number;
  /** How many waited longer than this. */
  slowerThan(milliseconds: number): number;
}>;

type Call = (index: number) => Promise<Readonly<{ status: number | string }>>;

type Measured = Readonly<{ one: Call; statuses: Record<string, number>; times: number[] }>;

const AT_ONCE = 4;

/** Makes `count` calls, a few at once, and reports the results. */
export async function measureCalls(count: number, one: Call): Promise<CallStats> {
  const [stats] = await measureInTurns(count, [one]);
  return stats as CallStats;
}

/** Like measureCalls, but with several calls in turns: other load on the machine affects each of them alike. */
export async function measureInTurns(count: number, calls: readonly Call[]): Promise<readonly CallStats[]> {
  const measured = calls.map((one): Measured => ({ one, statuses: {}, times: [] }));
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const index = (next += 1);
      for (const { one, statuses, times } of measured) {
        const begun = performance.now();
        const answer = await one(index).catch((error: unknown) => ({ status: reasonOf(error) }));
        times.push(performance.now() - begun);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return measured.map(({ statuses, times }) => statsFrom(statuses, times));
}

function statsFrom(statuses: Readonly<Record<string, number>>, times: number[]): CallStats {
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const slowerThan = (milliseconds: number): number => times.filter((time) => time > milliseconds).length;
  return { statuses, p50: at(0.5), p99: at(0.99), longest: at(1), slowerThan };
}

/** Some callers hide the reason in a cause, which is not an instance of this context's Error. */
export const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: Readonly<{ message?: string }> };
  return cause?.message ?? String(error);
};
