import { type SettledMemo } from './witness.port';

/** A response that does not have the documented format, is about something else, or cannot be decoded. */
export class UnreadableAnswer extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

/** How the network writes a transaction's hash. */
export const HASH = /^[0-9a-f]{64}$/;
export const ASSET_CODE = /^[A-Za-z0-9]{1,12}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_LEDGER = 0xffff_ffff;
const MAX_MEMO_LENGTH = 100;
const DECIMALS = 7;

export function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableAnswer('it is not the object that was expected');
  return value as Fields;
}

export function ledgerOf(value: unknown): number {
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > MAX_LEDGER)
    throw new UnreadableAnswer('it names no ledger');
  return Number(value);
}

/** Base64 XDR; null where the answer holds none. */
export function xdrOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || !BASE64.test(value)) throw new UnreadableAnswer('its XDR is not base64');
  return value;
}

/** An amount as people write it; the ledger counts in ten-millionths. */
export function amountFrom(stroops: bigint): string {
  const digits = stroops.toString().padStart(DECIMALS + 1, '0');
  return withoutZeros(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
}

export const withoutZeros = (amount: string): string => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);

export const textMemo = (text: string): SettledMemo => ({ isText: true, shown: text.slice(0, MAX_MEMO_LENGTH) });

/** Of a type that recipients do not use. */
export const otherMemo = (type: string, value: string): SettledMemo => ({
  isText: false,
  shown: `${type} ${value}`.slice(0, MAX_MEMO_LENGTH),
});
