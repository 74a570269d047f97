import { type Random } from '../support/seeded';
import { naughtyStrings } from './naughty';

export type Header = readonly [string, string];

const many = (count: number, name: string, value: string): Header[] =>
  Array.from({ length: count }, (_, index) => [`${name}${index}`, value]);

/** Headers that are duplicated, oversized, meaningless, or ambiguous. */
const HEADERS: readonly (readonly Header[])[] = [
  [
    ['Authorization', 'Bearer a'],
    ['authorization', 'Bearer b'],
  ],
  [
    ['Authorization', 'Bearer'],
    ['X-Ignored', '1'],
  ],
  [['Authorization', `Bearer ${'a'.repeat(9_000)}`]],
  [['Authorization', 'Device a:b:c']],
  [['Authorization', 'Basic bm90OnRoaXM=']],
  [['Authorization', 'Digest username="x"']],
  [
    ['x-svc-api-key', ''],
    ['X-SVC-API-KEY', 'x'],
  ],
  [['x-svc-network', 'stellar_public']],
  [['x-svc-network', 'nonsense,,']],
  [
    ['Idempotency-Key', 'a'],
    ['X-Idempotency-Key', 'b'],
  ],
  [['Idempotency-Key', 'k'.repeat(5_000)]],
  [['X-CSRF-Token', '']],
  [['X-Merchant-Id', 'mer_01JZ5Y0W3X0000000000000000']],
  [['X-Request-Id', 'r'.repeat(161)]],
  [['X-Request-Id', '"><b>']],
  [['Cookie', 'svc_session=a; svc_session=b']],
  [['Cookie', 'a=b; '.repeat(2_000)]],
  [['Cookie', ';;;=;,= svc_session']],
  [['Content-Type', 'text/plain']],
  [['Content-Type', 'application/json; charset=utf-16']],
  [['Content-Type', 'application/json;charset=UTF-8;x=y']],
  [['Content-Type', 'multipart/form-data; boundary=x']],
  [['Content-Type', '']],
  [['Content-Encoding', 'gzip']],
  [['Content-Encoding', 'identity']],
  [['Accept', 'image/png']],
  [['Accept', '*/*;q=nonsense, ,;']],
  [['Accept-Encoding', 'gzip, br, zstd']],
  [['Expect', '100-continue']],
  [['Expect', 'nonsense']],
  [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
  ],
  [
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['Upgrade', 'h2c'],
    ['HTTP2-Settings', 'AAMAAABk'],
  ],
  [['Transfer-Encoding', 'chunked']],
  [['Transfer-Encoding', 'gzip, chunked']],
  [
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '5'],
  ],
  [['Content-Length', '-1']],
  [
    ['Content-Length', '1'],
    ['Content-Length', '2'],
  ],
  [['Content-Length', '99999999999999999999']],
  [['Content-Length', '0x10']],
  [['Range', 'bytes=0-1,-1']],
  [['If-None-Match', '*']],
  [['If-Modified-Since', 'nonsense']],
  [['Last-Event-ID', '-1']],
  [
    ['Origin', 'null'],
    ['Access-Control-Request-Method', 'DELETE'],
  ],
  [
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Original-URL', '/metrics'],
    ['X-Rewrite-URL', '/metrics'],
  ],
  [
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'for=1;host=evil.example'],
  ],
  [['Host', 'evil.example']],
  [['Host', '']],
  [
    ['Host', 'a'],
    ['Host', 'b'],
  ],
  [['X-Long', 'x'.repeat(17_000)]],
  many(150, 'X-Many-', 'x'),
  many(2_100, 'X-', '1'),
  [['X-Fold', 'a\r\n b']],
  [['X-Null', 'a\u0000b']],
  [['X-Bell', '\u0007']],
  [['X-Text', 'é中']],
  [['X Space', 'x']],
  [['', 'nameless']],
  [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ],
];

export const trickHeaders = (random: Random): readonly Header[] => random.pick(HEADERS);

const PATHS: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `${path}/..`,
  (path) => `${path}/%2e%2e/`,
  (path) => path.replace('/', '%2f'),
  (path) => path.replace(/\//g, '\\'),
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}%00`,
  (path) => `${path}%c0%af`,
  (path) => `${path}%ff`,
  (path) => `${path};a=b`,
  (path) => `${path}?`,
  (path) => `${path}??a=b?`,
  (path) => `${path}#fragment`,
  (path) => path.toUpperCase(),
  (path) => `http://evil.example${path}`,
  (path) => `//evil.example${path}`,
  (path) => `${path}\u0000`,
  (path) => `${path} HTTP/1.1 x`,
  (path) => `${path}/é`,
  (path) => `${path}?${'a'.repeat(9_000)}`,
  (path) => `${path}/${'a'.repeat(9_000)}`,
  () => '*',
  () => '',
  () => '/',
  () => '/docs/../metrics',
  () => '/docs/%2e%2e/package.json',
  () => '/docs/swagger-ui-init.js/../../../../package.json',
  () => '/v1/payment-intents',
  () => '/.git/config',
];

export const trickPath = (random: Random, path: string): string => random.pick(PATHS)(path);

const IDS = [
  '.',
  '..',
  '...',
  'events',
  'current',
  'claim',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  '0',
  '-1',
  '%20',
  '%00',
  '%2f',
  '%F0%9F%99%82',
  '%ED%A0%80',
  '$where',
  'a'.repeat(160),
  'a'.repeat(161),
  'mer_01JZ5Y0W3X0000000000000000',
  'MER_01JZ5Y0W3X0000000000000000',
  'con_01JZ5Y0W3X000000000000000',
  'x:y.z-_',
];

/** An invalid id, or one of another kind. */
export const trickId = (random: Random): string =>
  random.below(4) === 0
    ? encodeURIComponent(random.pick(naughtyStrings).slice(0, 300).toWellFormed())
    : random.pick(IDS);

/** A query whose parameters repeat, nest, lack a value, or hold an invalid one. */
export function trickQuery(random: Random, names: readonly string[]): string {
  const name = random.pick([
    ...names,
    'limit',
    'cursor',
    'device_id',
    'token',
    'merchant_id',
    '__proto__',
    '',
    'a[b]',
    'a[]',
  ]);
  const value = encodeURIComponent(random.pick(naughtyStrings).slice(0, 400).toWellFormed());
  const forms: readonly (() => string)[] = [
    () => `${name}=${value}`,
    () => `${name}=${value}&${name}=${value}`,
    () => `${name}`,
    () => `${name}=`,
    () => `=${value}`,
    () => `${name}[]=${value}&${name}[x]=1`,
    () => `${name}=%ff&${name}%00=1`,
    () => `${name}=%`,
    () => `&&&&=&${name}`,
    () => Array.from({ length: 1_200 }, (_, index) => `p${index}=`).join('&'),
  ];
  return random.pick(forms)();
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'BREW'];

/** Requests that are barely or not HTTP. */
export const RAW: readonly Buffer[] = [
  'GET\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\nHost: x\n\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'G E T / HTTP/1.1\r\nHost: x\r\n\r\n',
  `${'A'.repeat(20_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`,
  'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/wallet-devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
  'POST /v1/wallet-devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nfffffffffffffffff\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\u0000\u0000\u0000\u0000',
].map((text) => Buffer.from(text, 'latin1'));
