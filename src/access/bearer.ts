import { type SvcRequest } from '../http/server/request-context';
import { refuse } from '../kernel/errors';

/** The token of `Authorization: Bearer …`, whatever its kind. */
export function bearerOf({ headers }: SvcRequest): string | undefined {
  const [, token] = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

/** The same, where no other credential is accepted. */
export function requiredBearer(request: SvcRequest): string {
  const token = bearerOf(request);
  if (token === undefined) throw refuse(comesAsBearer(request) ? 'invalid_token' : 'unauthenticated');
  return token;
}

/** Whether the caller means to send a bearer token; a malformed one is not treated as another credential. */
export const comesAsBearer = ({ headers }: SvcRequest): boolean => /^bearer(\s|$)/i.test(headers.authorization ?? '');
