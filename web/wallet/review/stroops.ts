/** Exact: amounts are never converted to floating-point numbers. Undefined if it is no amount of this network. */
export function stroopsIn(amount: string): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,7}))?$/.exec(amount) ?? [];
  return whole === '' ? undefined : BigInt(whole) * 10_000_000n + BigInt(fraction.padEnd(7, '0'));
}

/** Whether this balance certainly does not cover the amount, fee and reserve aside. */
export function isTooLittle(balance: string, amount: string): boolean {
  const [held, asked] = [stroopsIn(balance), stroopsIn(amount)];
  return held !== undefined && asked !== undefined && held < asked;
}
