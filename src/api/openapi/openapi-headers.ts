import { type OpenAPIObject } from '@nestjs/swagger';
import { isTestnet, networkNames } from '../../networks';
import { type JsonSchema } from '../../http/input/checks';
import { deviceFields } from '../../access/credentials';
import { isAgentSurface } from '../../http/server/envelope';
import { BODYLESS_METHODS } from '../../access/device-credential';
import { NETWORK_HEADER } from '../../http/input/named-networks';
import { IDEMPOTENCY_HEADERS, idempotencyKey } from '../../http/input/idempotency-key';

type Header = Readonly<{ description: string; schema: JsonSchema }>;
type Parameter = Header & Readonly<{ name: string; in: 'header' | 'query'; required: false }>;
type Response = { description: string; content?: object; headers?: Record<string, object> };
type Operation = { parameters?: object[]; security?: object[]; responses: Record<string, Response> };

const text: JsonSchema = { type: 'string' };
const seconds: JsonSchema = { type: 'integer', minimum: 0 };

const inHeader = (name: string, schema: JsonSchema, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const inQuery = (name: keyof typeof deviceFields): Parameter => {
  const { description, ...schema } = deviceFields[name];
  return { name, in: 'query', required: false, description, schema };
};

const [preferred, alternative] = IDEMPOTENCY_HEADERS;

/** Parameters besides an operation's own input. A schema is given only where a violation is refused. */
const parameters = {
  RequestId: inHeader(
    'X-Request-Id',
    text,
    'Identifies the call if it is 1–160 visible ASCII characters; otherwise an id is generated',
  ),
  IdempotencyKey: inHeader(
    preferred,
    idempotencyKey.schema,
    'Identifies the intent; may also be sent as `idempotency_key`. In quotes, as RFC 9651 writes strings, it is the key between them',
  ),
  IdempotencyKeyToo: inHeader(alternative, idempotencyKey.schema, `The same as ${preferred}`),
  LastEventId: inHeader('Last-Event-ID', text, 'For an event stream: the id of the last event received'),
  CsrfToken: inHeader(
    'X-CSRF-Token',
    text,
    'Needed with a session cookie: the `csrf_token` that came with the session',
  ),
  Network: inHeader(
    NETWORK_HEADER,
    { type: 'string', enum: networkNames.filter(isTestnet) },
    'The network of the call; a main network is refused with phase_0_mainnet_disabled',
  ),
  DeviceId: inQuery('device_id'),
  DeviceToken: inQuery('token'),
} as const satisfies Record<string, Parameter>;

const headers = {
  'X-Request-Id': { description: 'The id of the call, as in the service log', schema: text },
  'WWW-Authenticate': { description: 'The credential that the route requires', schema: text },
  Allow: { description: 'The methods that the path supports', schema: text },
  'Retry-After': { description: 'How many seconds to wait before repeating the call', schema: seconds },
  'RateLimit-Limit': {
    description:
      'Calls per minute, if rate limits are on; in a 429, the limit that was reached: calls, bytes of bodies or checks',
    schema: seconds,
  },
  'RateLimit-Remaining': { description: 'How much of the limit is left', schema: seconds },
  'RateLimit-Reset': { description: 'Seconds until the limit is reset', schema: seconds },
  'Set-Cookie': { description: 'Sets or deletes the session’s cookie', schema: text },
  Location: { description: 'Where the new record can be read', schema: text },
  'Idempotent-Replayed': { description: 'Present if it already existed', schema: { type: 'string', const: 'true' } },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof headers;
const RATE_HEADERS: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Adds to every operation the headers and credential fields it accepts, and to every response its headers. */
export function addHeaders(document: OpenAPIObject): void {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      const taken = parametersOf(path, method.toUpperCase(), operation);
      operation.parameters = [...(operation.parameters ?? []), ...taken.map((name) => ref('parameters', name))];
      for (const [status, response] of Object.entries(operation.responses)) {
        const given = [...headersOf(status, path, operation), ...cookieOf(path, method, status)].map(
          (name) => [name, ref('headers', name)] as const,
        );
        response.headers = Object.fromEntries(given);
      }
    }
  }
  const responses = { MethodNotAllowed: methodNotAllowed };
  document.components = { ...document.components, parameters, headers, responses };
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** A shared component, because a method that does not exist has no operation to describe its response. */
const methodNotAllowed = {
  description: 'method_not_allowed: the path does not support this method',
  headers: { 'X-Request-Id': ref('headers', 'X-Request-Id'), Allow: ref('headers', 'Allow') },
  content: {
    'application/json': { schema: { oneOf: [ref('schemas', 'Failure'), ref('schemas', 'AgentFailure')] } },
  },
};

function parametersOf(path: string, method: string, operation: Operation): readonly (keyof typeof parameters)[] {
  const schemes = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement));
  return [
    'RequestId',
    ...(takesKey(operation) ? (['IdempotencyKey', 'IdempotencyKeyToo'] as const) : []),
    ...(isEventStream(operation) ? (['LastEventId'] as const) : []),
    ...(schemes.includes('session') && method !== 'GET' ? (['CsrfToken'] as const) : []),
    ...(schemes.includes('device') && BODYLESS_METHODS.has(method) ? (['DeviceId', 'DeviceToken'] as const) : []),
    ...(isAgentSurface(path) ? (['Network'] as const) : []),
  ];
}

/** Refused before the call is counted, by the HTTP parser or for the kind or size of the body; or our own failure. */
const BEFORE_COUNTING = /^(408|413|414|415|431|5..)$/;

function headersOf(status: string, path: string, operation: Operation): readonly HeaderName[] {
  const isSuccess = status.startsWith('2');
  const isLimited = '429' in operation.responses;
  return [
    'X-Request-Id',
    ...(isSuccess && makes(operation) && !UNREADABLE.has(path) ? (['Location'] as const) : []),
    ...(status === '200' && makes(operation) ? (['Idempotent-Replayed'] as const) : []),
    ...(status === '401' ? (['WWW-Authenticate'] as const) : []),
    ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
    ...(isLimited && !BEFORE_COUNTING.test(status) ? RATE_HEADERS : []),
  ];
}

/** Not present if the session was requested with delivery `bearer`. */
const cookieOf = (path: string, method: string, status: string): readonly HeaderName[] =>
  /^\/v1\/merchant-sessions(\/current|\/\{id\})?$/.test(path) && method !== 'get' && status.startsWith('2')
    ? ['Set-Cookie']
    : [];

/** What these make cannot be read by its maker: it is for somebody else. */
const UNREADABLE: ReadonlySet<string> = new Set(['/v1/connect-keys']);

/** Makes something under a key; asking what would be made takes a key and makes nothing. */
const makes = (operation: Operation): boolean => takesKey(operation) && '201' in operation.responses;

/** An operation that may return IDEMPOTENCY_KEY_MISMATCH accepts the key headers. */
const takesKey = ({ responses }: Operation): boolean =>
  responses['400']?.description.split(', ').includes('IDEMPOTENCY_KEY_MISMATCH') ?? false;

const isEventStream = ({ responses }: Operation): boolean => 'text/event-stream' in (responses['200']?.content ?? {});
