/**
 * The service's clock. A phone's clock may be wrong by hours, and every countdown with it; the service's responses
 * carry its own time.
 */
let aheadMs = 0;

/** Smaller differences count as network latency. The 500 ms below make up for the Date header's missing fraction. */
const MIN_SKEW_MS = 2_000;

export const serviceNow = (): number => Date.now() + aheadMs;

export function noteServiceTime(date: string | null, sentAt: number, receivedAt: number): void {
  const serviceTime = Date.parse(date ?? '');
  if (Number.isNaN(serviceTime)) return;
  const ahead = serviceTime + 500 - (sentAt + receivedAt) / 2;
  if (Math.abs(ahead - aheadMs) >= MIN_SKEW_MS) aheadMs = Math.abs(ahead) < MIN_SKEW_MS ? 0 : ahead;
}

/** A fetch for clients of the service: reads the service's time from each response. */
export const clockedFetch: typeof globalThis.fetch = async (input, init) => {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  noteServiceTime(response.headers.get('date'), sentAt, Date.now());
  return response;
};
