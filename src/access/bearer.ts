import { type SvcRequest } from '../http/server/request-context';
import { refuse } from '../kernel/errors';

/** The token of `Authorization: Bearer …`, whatever it is good for. */
export function bearerOf({ headers }: SvcRequest): string | undefined {
  const [, token] = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

/** The same, where there is no other way in. */
export function requiredBearer(request: SvcRequest): string {
  const token = bearerOf(request);
  if (token === undefined) throw refuse(comesAsBearer(request) ? 'invalid_token' : 'unauthenticated');
  return token;
}

/** Whether the caller means to come with a bearer token; a malformed one is still no other credential. */
export const comesAsBearer = ({ headers }: SvcRequest): boolean => /^bearer(\s|$)/i.test(headers.authorization ?? '');
