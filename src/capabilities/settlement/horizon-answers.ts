import { stellarAccount } from '../../networks/stellar';
import {
  ASSET_CODE,
  type Fields,
  fields,
  HASH,
  ledgerOf,
  otherMemo,
  textMemo,
  UnreadableAnswer,
  withoutZeros,
  xdrOf,
} from './answers';
import { type SettledMemo, type SettledTransaction, type SettledTransfer } from './witness.port';

/** What is known of a transaction before its operations. */
export type TransactionAnswer = Readonly<{
  known: Omit<SettledTransaction, 'transfers'>;
  /** Base64 XDR; many servers keep none. */
  metadata: string | null;
  operations: number | undefined;
}>;

const AMOUNT = /^(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,7})?$/;
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** `GET /transactions/{hash}`; finds a transaction by its own hash or, for a fee bump, by its inner or outer hash. */
export function readTransaction(body: unknown, hash: string): TransactionAnswer {
  const answer = fields(body);
  const { ledgerHash, innerHash } = hashesIn(answer);
  // Horizon repeats as `hash` the one that was asked for, be it that of a fee bump or of the transaction within.
  if (hash !== ledgerHash && hash !== innerHash) throw new UnreadableAnswer('it is about another transaction');
  const { successful, ledger, operation_count: operations } = answer;
  if (typeof successful !== 'boolean') throw new UnreadableAnswer('it does not say whether it was successful');
  return {
    known: {
      ledgerHash,
      innerHash,
      successful,
      ledger: ledgerOf(ledger),
      closedAt: closingTimeOf(answer),
      memo: memoOf(answer),
      envelope: xdrOf(answer['envelope_xdr']),
    },
    metadata: xdrOf(answer['result_meta_xdr']),
    operations: Number.isInteger(operations) ? Number(operations) : undefined,
  };
}

export type ListedOperation = Readonly<{ index: number; record: Fields }>;

/**
 * `GET /transactions/{hash}/operations`, which lists all of them, in their order; or `…/payments`, where some are left
 * out, and only its id, which begins with the ledger and ends with its place, says which one an operation is.
 */
export function readOperations(
  body: unknown,
  { known, operations }: TransactionAnswer,
  list: 'operations' | 'payments',
): readonly ListedOperation[] {
  const records = fields(fields(body)['_embedded'])['records'];
  if (!Array.isArray(records)) throw new UnreadableAnswer('it lists no operations');
  if (list === 'operations' && records.length < (operations ?? 0))
    throw new UnreadableAnswer('it does not list all operations');
  return records.map(fields).map((record, place) => {
    const { transaction_hash: of } = record;
    if (of !== undefined && of !== known.ledgerHash && of !== known.innerHash)
      throw new UnreadableAnswer('it lists operations of another transaction');
    return { index: list === 'operations' ? place : indexFrom(record['id'], known.ledger), record };
  });
}

function indexFrom(id: unknown, ledger: number): number {
  const number = typeof id === 'string' && /^\d{1,19}$/.test(id) ? BigInt(id) : 0n;
  const index = Number(number & 0xfffn) - 1;
  if (number >> 32n !== BigInt(ledger) || index < 0)
    throw new UnreadableAnswer('it does not say which operation it is');
  return index;
}

export const callsContract = ({ record }: ListedOperation): boolean => record['type'] === 'invoke_host_function';

/**
 * What an operation other than a call pays to an account. A path payment counts by what arrived, which is what `amount`
 * holds there. A claimable balance reaches nobody until it is claimed, and an account merge does not state its amount:
 * neither counts here.
 */
export function classicTransfers({ index, record }: ListedOperation): readonly SettledTransfer[] {
  const place = { operation: index, transfer: 0 };
  switch (record['type']) {
    case 'payment':
    case 'path_payment':
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive': {
      const { from, to, amount } = record;
      return [{ ...place, from: payer(from), destination: account(to), ...assetOf(record), amount: amountOf(amount) }];
    }
    case 'create_account': {
      const { funder, account: opened, starting_balance: amount } = record;
      const native = { asset: 'XLM', issuer: null, amount: amountOf(amount) };
      return [{ ...place, from: payer(funder), destination: account(opened), ...native }];
    }
    default:
      return [];
  }
}

function hashesIn(answer: Fields): Pick<SettledTransaction, 'ledgerHash' | 'innerHash'> {
  const { fee_bump_transaction: outer, inner_transaction: inner } = answer;
  if (outer === undefined || outer === null) return { ledgerHash: hashOf(answer), innerHash: null };
  return { ledgerHash: hashOf(outer), innerHash: hashOf(inner) };
}

function hashOf(part: unknown): string {
  const { hash } = fields(part);
  if (typeof hash !== 'string' || !HASH.test(hash)) throw new UnreadableAnswer('it names no hash');
  return hash;
}

function closingTimeOf({ created_at: closedAt }: Fields): string {
  const [, seconds] = (typeof closedAt === 'string' && TIME.exec(closedAt)) || [];
  if (seconds === undefined || Number.isNaN(Date.parse(`${seconds}Z`)))
    throw new UnreadableAnswer('it does not say when its ledger closed');
  return `${seconds}Z`;
}

function assetOf(record: Fields): Pick<SettledTransfer, 'asset' | 'issuer'> {
  const { asset_type: type, asset_code: code, asset_issuer: issuer } = record;
  if (type === 'native') return { asset: 'XLM', issuer: null };
  if (typeof code !== 'string' || !ASSET_CODE.test(code)) throw new UnreadableAnswer('it names no asset');
  return { asset: code, issuer: account(issuer) };
}

function amountOf(value: unknown): string {
  if (typeof value !== 'string' || !AMOUNT.test(value)) throw new UnreadableAnswer('it names no amount');
  return withoutZeros(value);
}

/** A muxed address is an account plus a number that only its owner understands. */
function account(value: unknown): string {
  const found = typeof value === 'string' ? stellarAccount(value) : undefined;
  if (found === undefined) throw new UnreadableAnswer('it names no account');
  return found;
}

const payer = (value: unknown): string | null => (value === undefined || value === null ? null : account(value));

function memoOf(answer: Fields): SettledMemo | null {
  const { memo_type: type, memo, memo_bytes: bytes } = answer;
  if (type === undefined || type === 'none') return null;
  if (typeof type !== 'string' || (typeof memo !== 'string' && type !== 'text'))
    throw new UnreadableAnswer('its memo is not readable');
  if (type !== 'text') return otherMemo(type, String(memo));
  // Horizon repairs the text if it is not UTF-8; the bytes are what was signed. An empty memo has no text at all.
  const shown = typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : (memo ?? '');
  if (typeof shown !== 'string') throw new UnreadableAnswer('its memo is not readable');
  return textMemo(shown);
}
