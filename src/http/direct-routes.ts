import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type Express, type Handler, type NextFunction, type Response } from 'express';
import { type Served } from './http-server';
import { type SvcRequest } from './request-context';

type Route = Readonly<{ path: string; stack: readonly Readonly<{ method: string; handle: Handler }>[] }>;
type Direct = Readonly<{ route: Route; handle: Handler; param?: string }>;

/** Text that means itself: nothing to decode, no slash too many. Anything else is the router's to read. */
const PLAIN = /^(?:\/[A-Za-z0-9._:-]+)+$/;
/** The API's own: pages such as /docs have handlers in front that the router must not be spared. */
const LITERAL = /^\/v1(?:\/[A-Za-z0-9._-]+)+$/;
const WITH_ONE_PARAMETER_LAST = /^(\/v1(?:\/[A-Za-z0-9._-]+)+)\/:([a-z]+)$/;

/**
 * The way to a route without the router, which tries one pattern after another and costs more than a durable append. It knows
 * paths without parameters, and those whose last part is the only one; whatever else comes takes the router's way,
 * to the same handlers.
 */
export function directly(app: Express, shell: Handler): Served {
  const routes = directRoutes((app.router as unknown as { stack: { route?: Route }[] }).stack);
  const listener: RequestListener = (incoming, outgoing) => {
    const found = routes(incoming.method ?? '', incoming.url ?? '');
    if (found === undefined) return void app(incoming, outgoing);
    const [request, response] = asTheRouterHandsOn(incoming as SvcRequest, outgoing as Response);
    request.route = found.route;
    request.params = found.params;
    shell(request, response, () => void found.handle(request, response, neverCalled));
  };
  return { listener, classes: classesOf(app) };
}

/** Express gives each request its methods by exchanging its prototype, and slows it down for good. These are born with them. */
function classesOf(app: Express): NonNullable<Served['classes']> {
  class Incoming extends IncomingMessage {}
  class Outgoing<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  return { IncomingMessage: Incoming, ServerResponse: Outgoing };
}

type Found = Readonly<{ route: Route; handle: Handler; params: Record<string, string> }>;

/** The router takes the first route that fits; a literal one that stands behind one with a parameter would never be met. */
function directRoutes(layers: readonly { route?: Route }[]): (method: string, url: string) => Found | undefined {
  const literal = new Map<string, Direct>();
  const parametric = new Map<string, Direct>();
  for (const { route } of layers) {
    const [only, ...more] = route?.stack ?? [];
    if (route === undefined || only === undefined || more.length > 0) continue;
    const { method, handle } = only;
    const [, prefix = '', param = ''] = WITH_ONE_PARAMETER_LAST.exec(route.path) ?? [];
    const [table, key] = LITERAL.test(route.path) ? [literal, route.path] : [parametric, prefix];
    if (key !== '' && !table.has(`${method} ${key}`)) table.set(`${method} ${key}`, { route, handle, param });
  }
  return (upper, url) => {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    if (!PLAIN.test(path)) return undefined;
    const method = upper.toLowerCase();
    const exact = literal.get(`${method} ${path}`);
    if (exact !== undefined) return { route: exact.route, handle: exact.handle, params: {} };
    const cut = path.lastIndexOf('/');
    const found = parametric.get(`${method} ${path.slice(0, cut)}`);
    if (found?.param === undefined) return undefined;
    return { route: found.route, handle: found.handle, params: { [found.param]: path.slice(cut + 1) } };
  };
}

/** What else a request has when the router hands it to a route. */
function asTheRouterHandsOn(request: SvcRequest, response: Response): readonly [SvcRequest, Response] {
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
