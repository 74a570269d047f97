const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** Rounded to the nearest unit: an eight-hour limit that was just granted still reads as eight hours, not seven. */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return 'just now';
  if (size >= 30 * 86_400) return day.format(new Date(at));
  // Rounded first: 59 minutes and 50 seconds are an hour, not 60 minutes.
  const fitting = STEPS.find(([, step], index) => {
    const smaller = STEPS[index + 1]?.[1] ?? 1;
    return Math.round(size / smaller) * smaller >= step;
  });
  const [unit, length] = fitting ?? (['second', 1] as const);
  return relative.format(Math.sign(seconds) * Math.round(size / length), unit);
}

/** What a countdown shows: rounded days from two days up, below that to the second. */
export function remaining(seconds: number): string {
  if (seconds >= 172_800) return `${Math.round(seconds / 86_400)} days`;
  const part = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${part(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${part(minutes % 60)}:${part(seconds % 60)}`;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const exactTime = (at: string): string => exact.format(new Date(at));

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Makes the timestamps in a text readable. Invalid ones are left alone: anyone may have written the text. */
export const withTimes = (text: string): string =>
  text.replace(TIMESTAMP, (at) => (Number.isNaN(Date.parse(at)) ? at : exactTime(at)));
