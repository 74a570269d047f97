import { type Handler, type Request, type Response } from 'express';
import { type Config } from '../platform/config';
import { type BuiltFile, type BuiltFiles, builtPagesDirectory, type Encoding, readBuiltPages } from './built-pages';
import { contentPolicy } from './content-policy';

type Page = Readonly<{ file: string; policy: string }>;

const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];
const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const ASSETS_PATH = '/assets/';
/** Files that make the wallet installable. Like the page itself, they are revalidated on every request. */
const WALLET_SHELL = ['/wallet/manifest.webmanifest', '/wallet/sw.js', '/wallet/icon.svg'];

type Pages = Readonly<{ handler: Handler; paths: readonly string[] }>;

/** Serves the files of the built portal and wallet; all other requests are passed on to the API. */
export function servePages(config: Pick<Config, 'walletHorizon' | 'settlementWitnesses'>): Pages | undefined {
  const directory = builtPagesDirectory();
  if (directory === undefined) return undefined;
  const files = readBuiltPages(directory, (html, name) => {
    // The start page is built one folder down, but served at the top.
    const placed = name.startsWith('start') ? html.replaceAll('"../assets/', '"./assets/') : html;
    // The page learns which networks are watched, but not through which servers.
    const witnessed = config.settlementWitnesses.map(({ network }) => network).join(' ');
    return placed
      .replaceAll('%WALLET_HORIZON%', () => inAttribute(config.walletHorizon ?? ''))
      .replaceAll('%WITNESSED_NETWORKS%', () => inAttribute(witnessed));
  });
  const pages = pagesFor(config);
  const handler: Handler = (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const { path } = request;
    if (pages[`${path}/`] !== undefined && path !== '') return redirectTo(`${path.slice(1)}/`, request, response);
    const page = pages[path];
    if (page !== undefined) {
      if (path === '/' && !wantsPage(request)) return next();
      return sendPage(page, files, request, response);
    }
    if (WALLET_SHELL.includes(path)) {
      // A service worker fetches under the policy that it came with.
      return sendPage({ file: path, policy: own }, files, request, response);
    }
    const file = path.startsWith(ASSETS_PATH) ? files.get(path) : undefined;
    if (file === undefined) return next();
    request.route = { path: `${ASSETS_PATH}:name` };
    response.setHeader('Cache-Control', CACHE_FOREVER);
    send(file, request, response);
  };
  const places = Object.keys(pages).flatMap((path) => (path === '/' ? [path] : [path, path.slice(0, -1)]));
  const assets = [...files.keys()].filter((path) => path.startsWith(ASSETS_PATH));
  return { handler, paths: [...places, ...WALLET_SHELL, ...assets] };
}

const own = contentPolicy();

const pagesFor = ({ walletHorizon }: Pick<Config, 'walletHorizon'>): Readonly<Record<string, Page>> => {
  return {
    '/': { file: '/start/index.html', policy: own },
    '/portal/': { file: '/portal/index.html', policy: own },
    '/wallet/': {
      file: '/wallet/index.html',
      policy: contentPolicy(walletHorizon === undefined ? [] : [new URL(walletHorizon).origin]),
    },
  };
};

const inAttribute = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Browsers ask for HTML explicitly; programs that accept anything get JSON. */
const wantsPage = (request: Request): boolean => request.accepts(['application/json', 'text/html']) === 'text/html';

/** Relative, so that it also works behind a proxy that adds a path prefix. */
function redirectTo(place: string, request: Request, response: Response): void {
  request.route = { path: request.path };
  response.status(308).setHeader('Location', place);
  response.end();
}

function sendPage({ file, policy }: Page, files: BuiltFiles, request: Request, response: Response): void {
  const built = files.get(file);
  if (built === undefined) throw new Error(`the build has no ${file}`);
  request.route = { path: request.path };
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  // The wallet scans the codes that agents show.
  const camera = request.path === '/wallet/' ? 'camera=(self)' : 'camera=()';
  response.setHeader('Permissions-Policy', `${camera}, geolocation=(), microphone=(), payment=()`);
  if (request.path === '/') response.vary('Accept');
  send(built, request, response);
}

/** Compared weakly (RFC 9110, 13.1.2): what a proxy has compressed is the same page. */
const isKnown = (etag: string, known = ''): boolean =>
  known.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

function send({ type, etag: made, plain, encoded }: BuiltFile, request: Request, response: Response): void {
  const etag = made();
  response.vary('Accept-Encoding');
  response.setHeader('ETag', etag);
  response.setHeader('Content-Type', type);
  if (isKnown(etag, request.headers['if-none-match'])) {
    response.status(304).end();
    return;
  }
  const encoding = ENCODINGS.find((name) => encoded[name] !== undefined && request.acceptsEncodings(name) === name);
  const body = (encoding && encoded[encoding]?.()) ?? plain;
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}
