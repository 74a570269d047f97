import { type Check, text } from './checks';

/** A caller's own name for a transaction: readable text, except `.` and `..`, which mean another path. */
export const transactionId = (description: string): Check =>
  text({
    max: 160,
    pattern: /^(?!\.{1,2}$)/,
    form: 'another than . and .., which mean another path',
    description,
    example: 'order-1017',
  });
