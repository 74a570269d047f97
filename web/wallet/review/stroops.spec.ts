import { isTooLittle } from './stroops';

it.each([
  ['9', '10', true],
  ['9.9999999', '10', true],
  ['10', '10.0000001', true],
  ['0', '0.0000001', true],
  ['10.0000000', '10', false],
  ['10', '9', false],
  ['922337203685.4775807', '922337203685.4775806', false],
  // Nothing is claimed about what cannot be read.
  ['', '10', false],
  ['10', 'a lot', false],
])('whether %s is too little for %s: %s', (balance, amount, expected) => {
  expect(isTooLittle(balance, amount)).toBe(expected);
});
