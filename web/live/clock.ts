/**
 * The service's clock. A phone's may be wrong by hours, and then every countdown would be too; the answers of the service
 * say what time it is there.
 */
let aheadMs = 0;

/** Half a second for the date's missing fraction; differences below two seconds are the network's. */
const COUNTS_MS = 2_000;

export const serviceNow = (): number => Date.now() + aheadMs;

export function hearDate(date: string | null, sentAt: number, heardAt: number): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const ahead = told + 500 - (sentAt + heardAt) / 2;
  if (Math.abs(ahead - aheadMs) >= COUNTS_MS) aheadMs = Math.abs(ahead) < COUNTS_MS ? 0 : ahead;
}

/** For clients of the service: listens to what time it is there. */
export const clockedFetch: typeof globalThis.fetch = async (input, init) => {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  hearDate(response.headers.get('date'), sentAt, Date.now());
  return response;
};
