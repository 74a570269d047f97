import { type Id, type IdPrefix } from '../../kernel/ids';
import { subjectOf } from '../../platform/secrets/bound-tokens';
import { tokenMatches } from '../../platform/secrets/tokens';

/** The stream a token names. Anything that is not such a token maps to a stream that cannot exist. */
export const namedBy = <P extends IdPrefix>(kind: 'emailLink' | 'grant', prefix: P, token: string): Id<P> =>
  subjectOf(kind, prefix, token) ?? `${prefix}_malformed`;

type Issued = Readonly<{ status: 'issued'; tokenHash: string; expiresAt: string }>;

/** Whether this token currently opens the link or grant. */
export function opens<State extends Readonly<{ status: string }>>(
  token: string,
  state: State,
  at: string,
): state is State & Issued {
  const issued = state.status === 'issued' ? (state as unknown as Issued) : undefined;
  return tokenMatches(token, issued?.tokenHash) && issued !== undefined && at < issued.expiresAt;
}
