import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefix says what a token is for, to people and to secret scanners. */
export const tokenPrefix = {
  emailLink: 'svc_el_',
  grant: 'svc_sg_',
  session: 'svc_ms_',
  agent: 'svc_at_',
  connectKey: 'svc_ck_',
  claim: 'svc_cl_',
  connection: 'svc_ct_',
  device: 'svc_dt_',
  apiKey: 'svc_sk_',
} as const;

export type TokenKind = keyof typeof tokenPrefix;

export const newToken = (kind: TokenKind): string => tokenPrefix[kind] + randomBytes(32).toString('base64url');

/** 256 random bits need no salt and no stretching: the hash cannot be reversed, and equal tokens do not occur. */
export const hashToken = (token: string): string => hash('sha256', token);

const NOTHING_KEPT = randomBytes(32);

/** Without a hash to compare with, it takes as long, so that nobody learns what exists, and no token matches. */
export function tokenMatches(token: string, keptHash: string | undefined): boolean {
  const given = hash('sha256', token, 'buffer');
  const kept = keptHash === undefined ? NOTHING_KEPT : Buffer.from(keptHash, 'hex');
  return given.length === kept.length && timingSafeEqual(given, kept) && keptHash !== undefined;
}

/** Compares two secrets of any length without revealing where they differ. */
export const secretsEqual = (a: string, b: string): boolean => tokenMatches(a, hashToken(b));
