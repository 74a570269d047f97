import { stellarAccount } from '../../networks/stellar';
import { type SettledMemo, type SettledPayment, type SettledTransaction } from './witness.port';

/** A response that does not have the documented Horizon format, or is about something else. */
export class UnreadableAnswer extends Error {}

export type TransactionAnswer = Omit<SettledTransaction, 'payments'>;

const HASH = /^[0-9a-f]{64}$/;
const AMOUNT = /^(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,7})?$/;
const ASSET_CODE = /^[A-Za-z0-9]{1,12}$/;
const MAX_LEDGER = 0xffff_ffff;
const MAX_MEMO_LENGTH = 100;

type Fields = Readonly<Record<string, unknown>>;

/** `GET /transactions/{hash}`; finds a transaction by its own hash or, for a fee bump, by its inner or outer hash. */
export function readTransaction(body: unknown, hash: string): TransactionAnswer {
  const answer = fields(body);
  const names = [answer['hash'], hashIn(answer['fee_bump_transaction']), hashIn(answer['inner_transaction'])];
  if (!names.includes(hash)) throw new UnreadableAnswer('it is about another transaction');
  const { successful, ledger } = answer;
  if (typeof successful !== 'boolean') throw new UnreadableAnswer('it does not say whether it was successful');
  if (!Number.isInteger(ledger) || Number(ledger) < 1 || Number(ledger) > MAX_LEDGER)
    throw new UnreadableAnswer('it names no ledger');
  return { successful, ledger: Number(ledger), memo: memoOf(answer) };
}

/** `GET /transactions/{hash}/operations`: only the operations that pay an account a known amount. */
export function readPayments(body: unknown, hashes: readonly string[]): readonly SettledPayment[] {
  const records = fields(fields(body)['_embedded'])['records'];
  if (!Array.isArray(records)) throw new UnreadableAnswer('it lists no operations');
  return records.map(fields).flatMap((record) => {
    const { transaction_hash: of } = record;
    if (of !== undefined && !hashes.includes(of as string))
      throw new UnreadableAnswer('it lists operations of another transaction');
    return paymentIn(record);
  });
}

/** All hashes under which the operations of a transaction may be listed. */
export function hashesOf(body: unknown): readonly string[] {
  const answer = fields(body);
  return [answer['hash'], hashIn(answer['fee_bump_transaction']), hashIn(answer['inner_transaction'])].filter(
    (name): name is string => typeof name === 'string' && HASH.test(name),
  );
}

/**
 * A path payment counts by what arrived, which is what `amount` holds there. A claimable balance reaches nobody until
 * it is claimed, and an account merge does not state its amount: neither counts as a payment here.
 */
function paymentIn(record: Fields): readonly SettledPayment[] {
  switch (record['type']) {
    case 'payment':
    case 'path_payment':
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive':
      return [{ destination: account(record['to']), ...assetOf(record), amount: amountOf(record['amount']) }];
    case 'create_account': {
      const amount = amountOf(record['starting_balance']);
      return [{ destination: account(record['account']), asset: 'XLM', issuer: null, amount }];
    }
    default:
      return [];
  }
}

function assetOf(record: Fields): Pick<SettledPayment, 'asset' | 'issuer'> {
  const { asset_type: type, asset_code: code, asset_issuer: issuer } = record;
  if (type === 'native') return { asset: 'XLM', issuer: null };
  if (typeof code !== 'string' || !ASSET_CODE.test(code)) throw new UnreadableAnswer('it names no asset');
  return { asset: code, issuer: account(issuer) };
}

function amountOf(value: unknown): string {
  if (typeof value !== 'string' || !AMOUNT.test(value)) throw new UnreadableAnswer('it names no amount');
  return value.includes('.') ? value.replace(/\.?0+$/, '') : value;
}

/** A muxed address is an account plus a number that only its owner understands. */
function account(value: unknown): string {
  const found = typeof value === 'string' ? stellarAccount(value) : undefined;
  if (found === undefined) throw new UnreadableAnswer('it names no account');
  return found;
}

function memoOf(answer: Fields): SettledMemo | null {
  const { memo_type: type, memo, memo_bytes: bytes } = answer;
  if (type === undefined || type === 'none') return null;
  if (typeof type !== 'string' || (typeof memo !== 'string' && type !== 'text'))
    throw new UnreadableAnswer('its memo is not readable');
  if (type !== 'text') return { isText: false, shown: `${type} ${String(memo)}`.slice(0, MAX_MEMO_LENGTH) };
  // Horizon repairs the text if it is not UTF-8; the bytes are what was signed. An empty memo has no text at all.
  const shown = typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : (memo ?? '');
  if (typeof shown !== 'string') throw new UnreadableAnswer('its memo is not readable');
  return { isText: true, shown: shown.slice(0, MAX_MEMO_LENGTH) };
}

const hashIn = (part: unknown): unknown =>
  typeof part === 'object' && part !== null ? (part as Fields)['hash'] : undefined;

function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableAnswer('it is not the object that was expected');
  return value as Fields;
}
