import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

const LEDGER = { mainnet: 0, testnet: 1, previewnet: 2 } as const;
const MAX_ACCOUNT = 2n ** 63n - 1n;

const P3 = 26 ** 3;
const P5 = 26 ** 5;
const weigh = (values: readonly number[], modulus: number): number =>
  values.reduce((sum, value) => (sum * 31 + value) % modulus, 0);
const sumEverySecond = (digits: readonly number[], from: 0 | 1): number =>
  digits.reduce((sum, digit, index) => (index % 2 === from ? sum + digit : sum), 0) % 11;

/** HIP-15: five letters that depend on the ledger, so the same account has a different checksum on the testnet. */
export function hederaChecksum(account: string, ledger: number): string {
  const digits = Array.from(account, (character) => (character === '.' ? 10 : Number(character)));
  const place = ((digits.length % 5) * 11 + sumEverySecond(digits, 0)) * 11 + sumEverySecond(digits, 1);
  const sum = (place * P3 + weigh(digits, P3) + weigh([ledger, 0, 0, 0, 0, 0, 0], P5)) % P5;
  let rest = (sum * 1_000_003) % P5;
  let letters = '';
  for (let i = 0; i < 5; i++) {
    letters = String.fromCharCode(97 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26);
  }
  return letters;
}

/** The standard makes the checksum optional: without one only the format can be checked, with one it must match. */
export const hederaAddress: AddressCheck = (address) => {
  const [, account, number, checksum] = /^(0\.0\.(0|[1-9]\d{0,18}))(?:-([a-z]{5}))?$/.exec(address) ?? [];
  if (account === undefined || number === undefined || BigInt(number) > MAX_ACCOUNT)
    return invalid(
      'A Hedera account looks like 0.0.1234, best with its checksum: 0.0.1234-abcde. Copy it from the wallet.',
    );
  if (number === '0') return reservedAddress;
  if (checksum === undefined || checksum === hederaChecksum(account, LEDGER.mainnet)) return undefined;
  if (checksum === hederaChecksum(account, LEDGER.testnet) || checksum === hederaChecksum(account, LEDGER.previewnet))
    return testnetForm('The checksum is that of a Hedera test network. Give an account of the main network.');
  return checksumMismatch;
};
