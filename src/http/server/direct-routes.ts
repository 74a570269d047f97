import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type Express, type Handler, type NextFunction, type Response } from 'express';
import { type Served } from './http-server';
import { type SvcRequest } from './request-context';

type Route = Readonly<{ path: string; stack: readonly Readonly<{ method: string; handle: Handler }>[] }>;
/** A trie of path segments; a literal segment wins over a parameter. */
type RouteNode = { parts: Map<string, RouteNode>; parameter?: RouteNode; ends: Map<string, End> };
type End = Readonly<{ route: Route; handle: Handler; parameters: readonly string[] }>;

/** A path that needs no decoding and has no stray slash. The router handles anything else. */
const PLAIN = /^\/v1(?:\/[A-Za-z0-9._:-]+)+$/;
/** API routes only: pages such as /docs have handlers in front of them that must not be skipped. */
const PATTERN = /^\/v1(?:\/(?:[A-Za-z0-9._-]+|:[A-Za-z_]+))+$/;

/** `/V1/things` and `/v1/things/` are not aliases of `/v1/things`. Call this before routes are registered. */
export function takePathsAsWritten({ router }: Express): void {
  // The equivalent settings are read when the router is created, and Nest has already created it.
  Object.assign(router, { caseSensitive: true, strict: true });
}

/**
 * Finds a route without the router, which tries one pattern after another and costs more than a durable append. It
 * knows the API's paths in their plain spelling; anything else goes through the router, to the same handlers.
 */
export function directly(app: Express, middleware: Handler): Served {
  const routes = directRoutes((app.router as unknown as { stack: { route?: Route }[] }).stack);
  const listener: RequestListener = (incoming, outgoing) => {
    const found = routes(incoming.method ?? '', incoming.url ?? '');
    if (found === undefined) {
      if (isUnreadable(incoming as SvcRequest)) incoming.url = UNROUTED_PATH;
      return void app(incoming, outgoing);
    }
    const [request, response] = withRouterProperties(incoming as SvcRequest, outgoing as Response);
    request.route = found.route;
    request.params = found.params;
    middleware(request, response, () => void found.handle(request, response, neverCalled));
  };
  return { listener, classes: classesOf(app) };
}

/** Every API route by its path, parameters in braces, and its methods. Call it after all routes are registered. */
export function knownRoutes(app: Express): Readonly<Record<string, Readonly<Record<string, true>>>> {
  const routes: Record<string, Record<string, true>> = {};
  for (const { route } of (app.router as unknown as { stack: { route?: Route }[] }).stack) {
    if (route === undefined || route.path.startsWith('/docs') || route.path.includes('*')) continue;
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
    for (const { method } of route.stack) (routes[path] ??= {})[method] = true;
  }
  return routes;
}

/** Express replaces each request's prototype, which deoptimizes it. These classes have the right one from the start. */
function classesOf(app: Express): NonNullable<Served['classes']> {
  class Incoming extends IncomingMessage {}
  class Outgoing<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  return { IncomingMessage: Incoming, ServerResponse: Outgoing };
}

type Found = Readonly<{ route: Route; handle: Handler; params: Record<string, string> }>;

/** The router takes the first match, so a literal route behind a matching parameter would never be reached. */
function directRoutes(layers: readonly { route?: Route }[]): (method: string, url: string) => Found | undefined {
  const root = newPlace();
  for (const { route } of layers) {
    const [only, ...more] = route?.stack ?? [];
    if (route === undefined || only === undefined || more.length > 0 || !PATTERN.test(route.path)) continue;
    const parts = route.path.split('/').slice(1);
    const { ends } = parts.reduce(placeFor, root);
    const method = only.method.toUpperCase();
    const parameters = parts.filter(isParameter).map((part) => part.slice(1));
    if (!ends.has(method)) ends.set(method, { route, handle: only.handle, parameters });
  }
  return (method, url) => {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return PLAIN.test(path) ? find(root, path.split('/'), method) : undefined;
  };
}

/** The router answers an absolute URL in which it finds no path, such as `foo://x`, with an error page of its own. */
function isUnreadable(request: SvcRequest): boolean {
  if (request.url.startsWith('/')) return false;
  try {
    return typeof request.path !== 'string';
  } catch {
    return true;
  }
}

/** A path without a route. */
const UNROUTED_PATH = '/-';

const newPlace = (): RouteNode => ({ parts: new Map(), ends: new Map() });

const isParameter = (part: string): boolean => part.startsWith(':');

function placeFor(before: RouteNode, part: string): RouteNode {
  if (isParameter(part)) return (before.parameter ??= newPlace());
  const place = before.parts.get(part) ?? newPlace();
  before.parts.set(part, place);
  return place;
}

function find(root: RouteNode, parts: readonly string[], method: string): Found | undefined {
  const values: string[] = [];
  let place: RouteNode | undefined = root;
  for (let at = 1; at < parts.length && place !== undefined; at += 1) {
    const part = parts[at] ?? '';
    const literal = place.parts.get(part);
    if (literal === undefined) values.push(part);
    place = literal ?? place.parameter;
  }
  const end = place?.ends.get(method);
  if (end === undefined) return undefined;
  const params = Object.fromEntries(end.parameters.map((name, at) => [name, values[at] ?? '']));
  return { route: end.route, handle: end.handle, params };
}

/** Sets the other properties that the router sets before it calls a route. */
function withRouterProperties(request: SvcRequest, response: Response): readonly [SvcRequest, Response] {
  request.res = response;
  response.req = request;
  response.locals = {};
  request.baseUrl = '';
  request.originalUrl = request.url;
  return [request, response];
}

const neverCalled: NextFunction = (error?: unknown) => {
  throw error instanceof Error ? error : new Error('a route handed its request on');
};
