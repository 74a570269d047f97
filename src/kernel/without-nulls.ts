type WithoutNulls<T> = { [Name in keyof T]?: NonNullable<T[Name]> };

/** The fields that apply. */
export function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  const kept: WithoutNulls<T> = {};
  // Written for every view and message; a list of entries made and filtered costs three times as much.
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const value = fields[name];
    if (value !== null) kept[name] = value;
  }
  return kept;
}
