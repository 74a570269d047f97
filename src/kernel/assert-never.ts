/** Closes a switch: a new member of the union is a compile error here, not a silent fall-through at night. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
