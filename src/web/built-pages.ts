import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

export type BuiltFile = Readonly<{
  type: string;
  etag: () => string;
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

/** For the compiled service, and for one run from source, where `../../web` holds the pages' sources without assets. */
const BUILD_DIRECTORIES = [join(__dirname, '../../web'), join(__dirname, '../../dist/web')];

/** The directory of the built pages; undefined if they were not built. */
export const builtPagesDirectory = (): string | undefined =>
  BUILD_DIRECTORIES.find((place) => existsSync(join(place, 'assets')));

/** Reads all files into memory, a few hundred kilobytes. `fill` inserts values of this instance into the HTML. */
export function readBuiltPages(directory: string, fill: (html: string, name: string) => string): BuiltFiles {
  const files = new Map<string, BuiltFile>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const place = join(directory, name);
    const isPage = name.endsWith('.html');
    const read = readFileSync(place);
    files.set(
      `/${name.replaceAll('\\', '/')}`,
      isPage ? pageFrom(fill(read.toString('utf8'), name)) : assetFrom(place, type, read),
    );
  }
  return files;
}

/** Hashed and compressed on first use: many processes never serve a page, and either would delay their start. */
const etagOf = (bytes: Buffer): (() => string) =>
  once(() => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`);

function pageFrom(html: string): BuiltFile {
  const plain = Buffer.from(html);
  const encoded = { br: once(() => brotliCompressSync(plain)), gzip: once(() => gzipSync(plain)) };
  return { type: TYPES['.html'] ?? '', etag: etagOf(plain), plain, encoded };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Uses the files that the build has already compressed. */
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
