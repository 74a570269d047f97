/** Makes a switch exhaustive: a new member of the union is a compile error here, not a silent fall-through. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/**
 * What a reader of some event categories returns for all other events: `result`. It follows the types that the reader
 * handles or ignores. An event added to one of its categories later is not `never` here, and breaks the build.
 */
export const notFollowed = <Result>(_other: never, result: Result): Result => result;
