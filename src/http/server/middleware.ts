import { NotFoundException } from '@nestjs/common';
import { type Express, type Handler, type NextFunction, type Response } from 'express';
import { type Logger } from 'pino';
import { type Issue, Refusal, refuse, refuseInput } from '../../kernel/errors';
import { hasBody, MAX_BODY_BYTES, readBody } from './body-reader';
import { isAgentSurface } from './envelope';
import { endsWithin } from '../../kernel/pause';
import { type ErrorFilter } from './error.filter';
import { identityClaims } from '../input/identity-claims';
import { mayBePrivateKey, namesPrivateKey, newAllowance, privateKeyIssue } from '../input/private-keys';
import { type Metrics } from '../operations/metrics';
import { isMainNetwork, networksBesideBody } from '../input/named-networks';
import { requestIdFrom, type SvcRequest } from './request-context';
import { type RouteTable } from './route-table';

const MAX_URL_BYTES = 8 * 1024;
const START_TIMEOUT_MS = 2_000;
const LIVENESS = '/health';
const API = '/v1/';
/** Larger than any response about a single thing. */
const LARGE_RESPONSE_BYTES = 128 * 1024;

/** Headers that may be sent only once: with a second copy it would be unclear which one counts. */
const SINGLE_VALUE_HEADERS = new Set([
  'authorization',
  'x-svc-api-key',
  'x-csrf-token',
  'x-idempotency-key',
  'idempotency-key',
]);

/** Sent with every response; only /docs loosens the content policy, for its own page. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
];

export type MiddlewareParts = Readonly<{
  app: Pick<Express, 'response'>;
  errors: ErrorFilter;
  logger: Logger;
  metrics: Metrics;
  routes: RouteTable;
  https: boolean;
  /** True once the service drains: each response is then its connection's last. */
  draining: () => boolean;
  /** Which paths are served here; all of them if omitted. */
  serves?: (path: string) => boolean;
  /** Pending until the API can be served; liveness checks are answered meanwhile. */
  starting: () => Promise<void> | undefined;
  /** Pending while the read model is rebuilt; only API calls wait for it. */
  rebuilding: () => Promise<void> | undefined;
  /** Response bytes that callers have not read yet. */
  unsent: Unsent;
}>;

/** Whether there are too many already, and whether there would be with this many more. */
export type Unsent = Readonly<{ isTooMuch: () => boolean; wouldBeTooMuch: (bytes: number) => boolean }>;

/** Runs for every request before its route: sets an id and headers, reads the body, and logs a line at the end. */
export function createMiddleware(parts: MiddlewareParts): Handler {
  const { app, errors, logger, metrics, routes, https, draining, serves, starting, rebuilding, unsent } = parts;
  app.response.json = jsonSender(parts);
  return (incoming, response: Response, next: NextFunction): void => {
    const request = incoming as SvcRequest;
    request.requestId = requestIdFrom(request.headers['x-request-id']);
    request.startedAt = process.hrtime.bigint();
    response.setHeader('X-Request-Id', request.requestId);
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    if (https) response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    if (draining()) response.setHeader('Connection', 'close');
    response.once('close', () => record(request, response, logger, metrics));

    const isServed = serves?.(request.path) ?? true;
    if (!isServed || isUnrouted(request, routes)) {
      // A body that is too long or of unknown length stays unread and ends with the connection.
      if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES)) response.setHeader('Connection', 'close');
      return errors.answer(isServed ? new NotFoundException() : refuse('resource_not_found'), request, response);
    }
    if (unsent.isTooMuch() && request.url !== LIVENESS) return errors.answer(refuse('overloaded'), request, response);
    const awaited = starting() ?? (isOfApi(request) ? rebuilding() : undefined);
    prepare(request, response, awaited).then(
      () => next(),
      (error: unknown) => errors.answer(error, request, response),
    );
  };
}

/**
 * Express's own `json` handles ETags and parses the type it has just set, a tenth of the cost of a short response.
 * Passed as one string, head and body leave in one write.
 */
const jsonSender = ({ unsent, errors }: MiddlewareParts) =>
  function sendJson(this: Response, body: unknown): Response {
    const text = JSON.stringify(body);
    const bytes = Buffer.byteLength(text);
    // Many may have asked while there was room. A page can be requested again; a change must report what it did.
    if (bytes > LARGE_RESPONSE_BYTES && this.req.method === 'GET' && unsent.wouldBeTooMuch(bytes)) {
      errors.answer(refuse('overloaded'), this.req as SvcRequest, this);
      return this;
    }
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', bytes);
    return this.end(text);
  };

/** Whether no route takes it, so nobody reads its body. A request already matched to its route is not looked up. */
const isUnrouted = (request: SvcRequest, routes: RouteTable): boolean =>
  request.route === undefined && hasBody(request) && !routes.methodsAt(request.path).includes(request.method);

/** By the path: a target may also be written as an absolute URL. */
const isOfApi = ({ path }: SvcRequest): boolean => path.startsWith(API);

/** Startup is brief unless a store is down: early callers wait instead of being refused. */
const endsSoon = (starting: Promise<void>): Promise<boolean> => endsWithin(START_TIMEOUT_MS, starting);

async function prepare(request: SvcRequest, response: Response, starting: Promise<void> | undefined): Promise<void> {
  if (starting !== undefined && request.url !== LIVENESS) {
    const hasStarted = await endsSoon(starting);
    if (!hasStarted && isOfApi(request)) throw refuse('store_unavailable');
  }
  if (request.url.length > MAX_URL_BYTES) throw refuse('uri_too_long');
  if (request.headers.host === undefined && request.httpVersion === '1.1') throw refuse('malformed_request');
  refuseRepeatedHeaders(request.rawHeaders);
  try {
    const wrong = [...identityClaims(Object.keys(request.headers)), ...keysIn(request.headers)];
    if (wrong.length > 0) throw refuseInput(wrong);
    request.body = await readBody(request);
  } catch (error) {
    if (!(error instanceof Refusal) || !namesMainNetwork(request)) throw error;
    // On this surface caller and network are checked first: the guards answer, and nobody will read the body.
    request.body = {};
    response.set(error.headers);
  }
}

const namesMainNetwork = (request: SvcRequest): boolean =>
  isAgentSurface(request.path) && networksBesideBody(request).some(isMainNetwork);

/** Nobody sends several transaction signatures here: they must not use up the allowance and let a key pass. */
function keysIn(headers: SvcRequest['headers']): readonly Issue[] {
  const allowance = newAllowance();
  const isKey = (text = ''): boolean => mayBePrivateKey(text, allowance);
  return Object.entries(headers)
    .filter(([name, value]) => namesPrivateKey(name, value) || (isKept(name) && [value].flat().some(isKey)))
    .map(([name]) => privateKeyIssue(name));
}

/** Headers with text of the caller's own, which are stored or logged. The others are credentials or plain HTTP. */
const isKept = (name: string): boolean =>
  name === 'idempotency-key' || (name.startsWith('x-') && name !== 'x-svc-api-key' && name !== 'x-csrf-token');

function refuseRepeatedHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!SINGLE_VALUE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw refuseInput([{ code: 'repeated', field: name, message: 'must be sent once' }]);
    seen.add(name);
  }
}

function record(request: SvcRequest, response: Response, logger: Logger, metrics: Metrics): void {
  const seconds = Number(process.hrtime.bigint() - request.startedAt) / 1e9;
  const route = routeOf(request);
  const { statusCode } = response;
  metrics.requestSeconds.observe({ method: request.method, route, status: statusCode }, seconds);
  if (!logger.isLevelEnabled('info')) return;
  logger.info(
    {
      request_id: request.requestId,
      method: request.method,
      // The path only: a query may carry a device token.
      path: withoutKeys(request.path),
      status: statusCode,
      duration_ms: Math.round(seconds * 1e5) / 100,
      ...(request.caller ? { actor: request.caller.actor } : {}),
      ...(response.writableFinished ? {} : { aborted: true }),
    },
    'request',
  );
}

/** A caller may put a private key into a path, for example as an idempotency key. */
function withoutKeys(path: string): string {
  if (path.length < MIN_KEY_LENGTH) return path;
  const allowance = newAllowance();
  return path
    .split('/')
    .map((part) => (mayBePrivateKey(decoded(part), allowance) ? '(a private key)' : part))
    .join('/');
}

const MIN_KEY_LENGTH = 28;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The pattern, not the path: one time series per route, however many ids there are. */
const routeOf = (request: SvcRequest): string => {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
};
