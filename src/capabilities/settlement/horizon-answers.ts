import { stellarAccount } from '../../networks/stellar';
import { type SettledMemo, type SettledTransaction, type SettledTransfer } from './witness.port';

/** A response that does not have the documented Horizon format, or is about something else. */
export class UnreadableAnswer extends Error {}

export type TransactionAnswer = Omit<SettledTransaction, 'transfers'>;

const HASH = /^[0-9a-f]{64}$/;
const AMOUNT = /^(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,7})?$/;
const ASSET_CODE = /^[A-Za-z0-9]{1,12}$/;
const MAX_LEDGER = 0xffff_ffff;
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_MEMO_LENGTH = 100;

type Fields = Readonly<Record<string, unknown>>;

/** `GET /transactions/{hash}`; finds a transaction by its own hash or, for a fee bump, by its inner or outer hash. */
export function readTransaction(body: unknown, hash: string): TransactionAnswer {
  const answer = fields(body);
  const { ledgerHash, innerHash } = hashesIn(answer);
  // Horizon repeats as `hash` the one that was asked for, be it that of a fee bump or of the transaction within.
  if (hash !== ledgerHash && hash !== innerHash) throw new UnreadableAnswer('it is about another transaction');
  const { successful, ledger } = answer;
  if (typeof successful !== 'boolean') throw new UnreadableAnswer('it does not say whether it was successful');
  if (!Number.isInteger(ledger) || Number(ledger) < 1 || Number(ledger) > MAX_LEDGER)
    throw new UnreadableAnswer('it names no ledger');
  return {
    ledgerHash,
    innerHash,
    successful,
    ledger: Number(ledger),
    closedAt: closingTimeOf(answer),
    memo: memoOf(answer),
    envelope: envelopeOf(answer),
  };
}

/**
 * `GET /transactions/{hash}/operations`: only the operations that pay an account a known amount. An operation's index is
 * its place in the list of all of them.
 */
export function readTransfers(body: unknown, { ledgerHash, innerHash }: TransactionAnswer): readonly SettledTransfer[] {
  const records = fields(fields(body)['_embedded'])['records'];
  if (!Array.isArray(records)) throw new UnreadableAnswer('it lists no operations');
  return records.map(fields).flatMap((record, operation) => {
    const { transaction_hash: of } = record;
    if (of !== undefined && of !== ledgerHash && of !== innerHash)
      throw new UnreadableAnswer('it lists operations of another transaction');
    const arrived = arrivalIn(record);
    return arrived ? [{ operation, transfer: 0, ...arrived }] : [];
  });
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

function envelopeOf({ envelope_xdr: envelope }: Fields): string | null {
  if (envelope === undefined || envelope === null) return null;
  if (typeof envelope !== 'string' || !BASE64.test(envelope))
    throw new UnreadableAnswer('its envelope is not readable');
  return envelope;
}

/**
 * A path payment counts by what arrived, which is what `amount` holds there. A claimable balance reaches nobody until
 * it is claimed, and an account merge does not state its amount: neither counts as a payment here.
 */
function arrivalIn(record: Fields): Omit<SettledTransfer, 'operation' | 'transfer'> | undefined {
  switch (record['type']) {
    case 'payment':
    case 'path_payment':
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive': {
      const { from, to, amount } = record;
      return { from: payer(from), destination: account(to), ...assetOf(record), amount: amountOf(amount) };
    }
    case 'create_account': {
      const { funder, account: opened, starting_balance: amount } = record;
      return {
        from: payer(funder),
        destination: account(opened),
        asset: 'XLM',
        issuer: null,
        amount: amountOf(amount),
      };
    }
    default:
      return undefined;
  }
}

function assetOf(record: Fields): Pick<SettledTransfer, 'asset' | 'issuer'> {
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

const payer = (value: unknown): string | null => (value === undefined || value === null ? null : account(value));

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

function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableAnswer('it is not the object that was expected');
  return value as Fields;
}
