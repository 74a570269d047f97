import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuse } from '../kernel/errors';
import { isPlainObject } from '../http/input/checks';
import { type SvcRequest } from '../http/server/request-context';
import { type TokenKind, tokenPrefix } from '../platform/secrets/tokens';
import { API_KEY_HEADER } from './api-key.guard';
import { bearerOf } from './bearer';
import { CHALLENGE } from './device-credential';

/** Where in a request a credential is sent. */
type CredentialPlace = 'bearer' | 'cookie' | 'device' | 'apiKey';
/** `as` says in words where it was sent. */
type Sent = Readonly<{ place: CredentialPlace; kind: TokenKind | undefined; as: string }>;

const PLACE: Readonly<Record<CredentialPlace, string>> = {
  bearer: 'Authorization: Bearer',
  cookie: 'the session cookie',
  device: 'Authorization: Device <device_id>:<token>',
  apiKey: API_KEY_HEADER,
};

const NAME: Readonly<Record<TokenKind, string>> = {
  emailLink: 'the token of a mailed link',
  grant: 'a grant',
  session: 'a merchant session',
  agent: 'an agent token',
  connectKey: 'a Connect Key',
  claim: 'a claim token',
  connection: 'a connection token',
  device: 'a wallet’s device token',
  apiKey: 'a project API key',
};

/** What each security scheme of the OpenAPI document accepts, and where. */
const SCHEMES: Readonly<Record<string, Readonly<{ place: CredentialPlace; kind: TokenKind }>>> = {
  device: { place: 'device', kind: 'device' },
  session: { place: 'cookie', kind: 'session' },
  session_token: { place: 'bearer', kind: 'session' },
  api_key: { place: 'apiKey', kind: 'apiKey' },
  agent: { place: 'bearer', kind: 'agent' },
  claim: { place: 'bearer', kind: 'claim' },
  connection: { place: 'bearer', kind: 'connection' },
};

/**
 * Runs before a route's guards and tells a caller with the wrong kind of credential which kinds are accepted. It reads
 * the first characters and looks nothing up, so it reveals nothing about a credential that the caller does not know
 * already. Credentials of an accepted or unknown kind are left to the guards.
 */
export class CredentialKindGuard implements CanActivate {
  private readonly taken: readonly Readonly<{ place: CredentialPlace; kind: TokenKind }>[];

  constructor(schemes: readonly string[]) {
    this.taken = schemes.map((scheme) => {
      const taken = SCHEMES[scheme];
      if (taken === undefined) throw new Error(`no credential is known for the security scheme ${scheme}`);
      return taken;
    });
  }

  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    // The fast path for nearly every call.
    const bearer = bearerOf(request);
    if (bearer !== undefined && this.isFitting(sent('bearer', bearer))) return true;
    const all = sentIn(request);
    // Browsers send cookies automatically: a cookie counts only if no other credential was sent.
    const [first] = all.filter(({ kind }) => kind !== undefined);
    if (first?.kind === undefined || all.some((one) => this.isFitting(one))) return true;
    throw refuse('unauthenticated', { message: this.messageFor(first.as, first.kind), headers: this.challenge() });
  }

  private isFitting({ place, kind }: Sent): boolean {
    return this.taken.some((taken) => taken.place === place && (kind === undefined || taken.kind === kind));
  }

  private messageFor(as: string, kind: TokenKind): string {
    const elsewhere = this.taken.filter((taken) => taken.kind === kind).map(({ place }) => PLACE[place]);
    if (elsewhere.length > 0)
      return `This route takes ${NAME[kind]} as ${elsewhere.join(' or ')}; you sent it as ${as}.`;
    const names = [...new Set(this.taken.map((taken) => NAME[taken.kind]))];
    const last = names.pop() ?? '';
    return `This route takes ${names.length > 0 ? `${names.join(', ')} or ` : ''}${last}; you sent ${NAME[kind]}.`;
  }

  private challenge(): Readonly<Record<string, string>> {
    return this.taken.every(({ place }) => place === 'device') ? CHALLENGE : {};
  }
}

/** Everything in the call that may be a credential, the most deliberate first. */
function sentIn(request: SvcRequest): readonly Sent[] {
  const { headers, query } = request;
  const body: unknown = request.body;
  const [, ofDevice] = /^device\s+[^:\s]+:(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const inFields = [body, query].flatMap((fields) =>
    isPlainObject(fields) && 'device_id' in fields && typeof fields['token'] === 'string' ? [fields['token']] : [],
  );
  const cookies = [...(headers.cookie ?? '').matchAll(/(?:^|;\s*)(?:__Host-)?svc_session=([^;\s]*)/g)];
  const bearer = bearerOf(request);
  const apiKey = headers[API_KEY_HEADER];
  return [
    ...(bearer === undefined ? [] : [sent('bearer', bearer)]),
    ...(ofDevice === undefined ? [] : [sent('device', ofDevice)]),
    ...(apiKey === undefined ? [] : [sent('apiKey', String(apiKey))]),
    ...inFields.map((token) => sent('device', token, 'the fields device_id and token')),
    ...cookies.map(([, token = '']) => sent('cookie', token)),
  ];
}

const KINDS = Object.entries(tokenPrefix) as readonly [TokenKind, string][];

const sent = (place: CredentialPlace, token: string, as = PLACE[place]): Sent => ({
  place,
  kind: KINDS.find(([, prefix]) => token.startsWith(prefix))?.[0],
  as,
});
