import { checkAmount } from '../../kernel/amounts';
import { type Check } from './checks';

/** Checks the notation; how many decimals are allowed depends on the asset. */
export const amount: Check = {
  problems: (value) => [checkAmount(value, Infinity)].filter((problem) => problem !== undefined),
  schema: {
    type: 'string',
    maxLength: 80,
    pattern: '^(?=.*[1-9])(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$',
    description: 'Exact decimal string',
    example: '12.5',
  },
};
