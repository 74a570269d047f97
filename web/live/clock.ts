/**
 * The service's clock. A phone's clock may be wrong by hours, and every countdown with it; the service's responses
 * carry its own time.
 */
let aheadMs = 0;

/** Smaller differences count as network latency. The 500 ms below stand for the fraction that the Date header lacks. */
const COUNTS_MS = 2_000;

export const serviceNow = (): number => Date.now() + aheadMs;

export function hearDate(date: string | null, sentAt: number, heardAt: number): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const ahead = told + 500 - (sentAt + heardAt) / 2;
  if (Math.abs(ahead - aheadMs) >= COUNTS_MS) aheadMs = Math.abs(ahead) < COUNTS_MS ? 0 : ahead;
}

/** A fetch for clients of the service: reads the service's time from each response. */
export const clockedFetch: typeof globalThis.fetch = async (input, init) => {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  hearDate(response.headers.get('date'), sentAt, Date.now());
  return response;
};
