import { Time } from '../../ui/Time.tsx';

export type Row = readonly [string, React.ReactNode];

/** A row if there is a value, otherwise none. */
export const maybe = (
  name: string,
  value: unknown,
  show: (text: string) => React.ReactNode = (text) => text,
): readonly Row[] =>
  value === undefined || value === null || value === ''
    ? []
    : [[name, show(typeof value === 'string' ? value : JSON.stringify(value))]];

type Ending = Readonly<{ is_final: boolean; status: string; expires_at: string }>;

/** Only an open payment can expire; for one that ended another way the time means nothing. */
export function lastMoment({ is_final, status, expires_at }: Ending): readonly Row[] {
  if (is_final && status !== 'expired') return [];
  return [[is_final ? 'Expired' : 'Expires', <Time key="expires" at={expires_at} />]];
}
