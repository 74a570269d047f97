/** Closes a switch: a new member of the union is a compile error here, not a silent fall-through at night. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/**
 * What a reader of some categories of events makes of all others: `result`. It comes after the types that the reader names, those it
 * handles and those it ignores. An event that is added to one of its categories later is not `never` here, and breaks the build.
 */
export const notFollowed = <Result>(_other: never, result: Result): Result => result;
