import { randomBytes } from 'node:crypto';
import { bytesOf, type Id, idOfBytes, type IdPrefix } from '../../kernel/ids';
import { type TokenKind, tokenPrefix } from './tokens';

const ID_BYTES = 16;
const SECRET_BYTES = 32;

/** A token that names what it opens, so that its stream is found without a search; the rest is 32 random bytes. */
export const newTokenFor = (kind: TokenKind, id: string): string =>
  tokenPrefix[kind] + Buffer.concat([bytesOf(id), randomBytes(SECRET_BYTES)]).toString('base64url');

/** The id inside a token of this kind; undefined if it is not one. Only the hash decides whether the token is valid. */
export function subjectOf<P extends IdPrefix>(kind: TokenKind, prefix: P, token: string): Id<P> | undefined {
  const text = token.slice(tokenPrefix[kind].length);
  if (!token.startsWith(tokenPrefix[kind]) || !/^[\w-]{64}$/.test(text)) return undefined;
  return idOfBytes(prefix, Buffer.from(text, 'base64url').subarray(0, ID_BYTES));
}
