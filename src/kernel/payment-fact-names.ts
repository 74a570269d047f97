import { keeping, onlyKept } from './code-writer';
import { inLatin } from './look-alikes';

const LETTERS_DIGITS_AND_LINE_ENDS = keeping('abcdefghijklmnopqrstuvwxyz0123456789\n');
// A capital i and a small L look the same, and so do many foreign letters.
LETTERS_DIGITS_AND_LINE_ENDS['l'.charCodeAt(0)] = 'i'.charCodeAt(0);

const folded = (names: string): string => onlyKept(names.toLowerCase(), LETTERS_DIGITS_AND_LINE_ENDS, true);
const namesSet = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(folded));

/**
 * Names that could be used to say who is paid. They are refused in free-form objects, in any case, with any separators
 * and in look-alike letters: a wallet or a person reading `Pay-To` in an order's details might believe it. Only whole
 * names, so that `shipping_address`, `account_manager` and `memory` remain what they are.
 */
const PAYEE_NAMES: readonly string[] = [
  ...['address', 'addr', 'walletaddress', 'paymentaddress', 'toaddress', 'destinationaddress', 'destination', 'dest'],
  ...['to', 'payto', 'sendto', 'account', 'toaccount', 'destinationaccount', 'wallet', 'towallet', 'receiver'],
  ...['memo', 'memoid', 'memotext', 'memotype', 'destinationtag', 'desttag', 'contract', 'contractaddress'],
  ...['issuer', 'issueraddress', 'assetissuer', 'payee', 'payeeid', 'payeeaddress', 'beneficiary'],
  ...['recipient', 'recipientid', 'recipientaddress', 'recipientversion', 'recipientversionid'],
  ...['paymenturi', 'paymenturl', 'paymentlink'],
];
const PAYEES = namesSet(PAYEE_NAMES);

/** Other names of payment facts. In an order's details these are harmless, next to the amount they are not. */
const FACTS = namesSet([
  ...PAYEE_NAMES,
  ...['rail', 'rails', 'network', 'networks', 'asset', 'assets', 'decimal', 'decimals', 'currency', 'coin'],
  ...['chain', 'chains', 'chainid', 'blockchain', 'assetcode', 'networkid', 'assetid'],
]);

/** Whether a key of a free-form object means an address, a memo, a contract, an issuer or who is paid. */
export const namesPayee = (key: string): boolean => payeesAmong([key], 1).length > 0;

/** Whether a key means any of the facts that are fixed in a recipient version. */
export const namesPaymentFact = (key: string): boolean => factsAmong([key], 1).length > 0;

/** The positions of the keys that do; the first `most` of them. */
export const payeesAmong = (keys: readonly string[], most: number): readonly number[] => placesOf(keys, most, PAYEES);

export const factsAmong = (keys: readonly string[], most: number): readonly number[] => placesOf(keys, most, FACTS);

/**
 * All keys at once, as lines of one text: a body may bring ten thousand of them, and folding each separately costs a
 * hundred times as much as folding all together.
 */
function placesOf(keys: readonly string[], most: number, names: ReadonlySet<string>): readonly number[] {
  if (keys.length === 0) return [];
  const text = (keys.some(hasLineEnd) ? keys.map(onOneLine) : keys).join('\n');
  const latin = /^[\x00-\x7f]*$/.test(text) ? text : inLatin(text);
  const found: number[] = [];
  for (const [at, name] of folded(latin).split('\n').entries()) {
    if (found.length >= most) break;
    if (names.has(name)) found.push(at);
  }
  return found;
}

const hasLineEnd = (key: string): boolean => key.includes('\n');
const onOneLine = (key: string): string => (hasLineEnd(key) ? key.replaceAll('\n', ' ') : key);
