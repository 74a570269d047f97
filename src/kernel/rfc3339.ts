const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const MINUTE_MS = 60_000;

/**
 * The moment an RFC 3339 time names, to the millisecond; undefined for any other text. Letters may be lower case,
 * fractions of any length, and a leap second may appear where UTC has them: it is the moment the next minute begins.
 */
export function momentOf(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = DATE_TIME.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  // Date rolls 31 February over into March; the round trip shows it.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(`${year}-${month}-${day}T`)) return undefined;
  const milliseconds = Number(fraction.slice(1, 4).padEnd(3, '0'));
  const local = date.getTime() + (Number(hour) * 60 + Number(minute)) * MINUTE_MS;
  const utc = local - offsetMinutes(zone) * MINUTE_MS;
  if (second === '60' && !isLastMinuteOfMonth(utc)) return undefined;
  const moment = new Date(utc + (second === '60' ? MINUTE_MS : Number(second) * 1000 + milliseconds));
  // An offset may lead outside the four-digit years, which are the only ones written and compared here.
  return /^\d/.test(moment.toISOString()) ? moment : undefined;
}

function offsetMinutes(zone: string): number {
  if (zone.length === 1) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return zone.startsWith('-') ? -minutes : minutes;
}

function isLastMinuteOfMonth(utc: number): boolean {
  const after = new Date(utc + MINUTE_MS);
  return after.getUTCDate() === 1 && after.getUTCHours() === 0 && after.getUTCMinutes() === 0;
}
