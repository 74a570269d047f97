import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuse } from '../kernel/errors';
import { isPlainObject } from '../http/input/checks';
import { type SvcRequest } from '../http/server/request-context';
import { type TokenKind, tokenPrefix } from '../platform/secrets/tokens';
import { API_KEY_HEADER } from './api-key.guard';
import { bearerOf } from './bearer';
import { CHALLENGE } from './device-credential';

/** Where a credential travels. */
type CredentialPlace = 'bearer' | 'cookie' | 'device' | 'apiKey';
/** `as` says where it stood, in words. */
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

/** What each security scheme of the OpenAPI document takes, and where. */
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
 * Stands before the guards of a route and tells who comes with a credential of another kind which kind is taken here. It reads
 * the first characters and looks nothing up, so it says nothing about any credential that the caller does not know already.
 * What may be of a right kind, or of none that is known, is left to the guards.
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
    // Nearly every call: it need not be searched for more.
    const bearer = bearerOf(request);
    if (bearer !== undefined && this.isFitting(sent('bearer', bearer))) return true;
    const all = sentIn(request);
    // A cookie travels by itself: it is what the caller means only where nothing else was sent.
    const [first] = all.filter(({ kind }) => kind !== undefined);
    if (first?.kind === undefined || all.some((one) => this.isFitting(one))) return true;
    throw refuse('unauthenticated', { message: this.told(first.as, first.kind), headers: this.challenge() });
  }

  private isFitting({ place, kind }: Sent): boolean {
    return this.taken.some((taken) => taken.place === place && (kind === undefined || taken.kind === kind));
  }

  private told(as: string, kind: TokenKind): string {
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

/** Everything in the call that can be a credential, the most deliberate first. */
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
