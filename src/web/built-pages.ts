import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

export type BuiltFile = Readonly<{
  type: string;
  etag: string;
  plain: Buffer;
  encoded: Readonly<Partial<Record<Encoding, () => Buffer>>>;
}>;

/** By the path they are served under. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** The compiled service stands beside the built pages; run from its sources, it stands beside theirs, which have no assets yet. */
const PLACES = [join(__dirname, '../../web'), join(__dirname, '../../dist/web')];

/** Where the build has put the pages; undefined if nobody has built them. */
export const builtPagesDirectory = (): string | undefined => PLACES.find((place) => existsSync(join(place, 'assets')));

/** All of them, in memory: a few hundred kilobytes that every visitor asks for. `fill` writes into the HTML what only this start knows. */
export function readBuiltPages(directory: string, fill: (html: string, name: string) => string): BuiltFiles {
  const files = new Map<string, BuiltFile>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    const place = join(directory, name);
    if (type === undefined || !statSync(place).isFile()) continue;
    const isPage = name.endsWith('.html');
    const read = readFileSync(place);
    files.set(
      `/${name.replaceAll('\\', '/')}`,
      isPage ? pageFrom(fill(read.toString('utf8'), name)) : assetFrom(place, type, read),
    );
  }
  return files;
}

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

function pageFrom(html: string): BuiltFile {
  const plain = Buffer.from(html);
  // When somebody asks: many processes are never asked for a page, and should not start later for it.
  const encoded = { br: once(() => brotliCompressSync(plain)), gzip: once(() => gzipSync(plain)) };
  return { type: TYPES['.html'] ?? '', etag: etagOf(plain), plain, encoded };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** What the build compressed already is taken as it is. */
function assetFrom(place: string, type: string, plain: Buffer): BuiltFile {
  const beside = (ending: string): Buffer | undefined =>
    existsSync(place + ending) ? readFileSync(place + ending) : undefined;
  const br = beside('.br');
  const gzip = beside('.gz');
  return {
    type,
    etag: etagOf(plain),
    plain,
    encoded: { ...(br ? { br: () => br } : {}), ...(gzip ? { gzip: () => gzip } : {}) },
  };
}
