/** For a form field, which has no time zone: it means the device's own. */
export function toField(at: string | number): string {
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Undefined if the value is not a time. */
export function fromField(value: string): string | undefined {
  const date = new Date(value);
  return value === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** What a field means that began with this time: unless it was changed, exactly that one, though it shows no seconds. */
export const fromFieldOf = (began: string | undefined, value: string): string | undefined =>
  began !== undefined && value === toField(began) ? began : fromField(value);
