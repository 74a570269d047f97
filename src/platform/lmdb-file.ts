import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { bootId } from '../kernel/boot-id';
import { flushDirectory } from '../kernel/flush-directory';

// The layout of an LMDB meta page (64-bit): page header, then the meta record.
const META = { flags: 18, magic: 24, version: 28, pageSize: 48, lastPage: 144, bytes: 152 };
const IS_META_PAGE = 0x08;
const MAGIC = 0xbeefc0de;
const VERSION = 2;

/**
 * Why LMDB must not be given this file; undefined if it may be, or if there is nothing in it yet. LMDB maps the file and
 * trusts its header: foreign bytes and pages that were cut off end the process by a signal, where no catch helps.
 */
export function headerProblem(file: string): string | undefined {
  const handle = openIfPresent(file);
  if (handle === undefined) return undefined;
  try {
    if (fstatSync(handle).size === 0) return undefined;
    const first = metaAt(handle, 0);
    const pageSize = first?.readUInt32LE(META.pageSize) ?? 0;
    const second = pageSize < 256 || pageSize > 65536 ? undefined : metaAt(handle, pageSize);
    if (first === undefined || second === undefined) return 'its header is not one of this store';
    const pages = 1 + Math.max(...[first, second].map((meta) => Number(meta.readBigUInt64LE(META.lastPage))));
    // Asked after the header was read: the process that writes it makes the file longer first.
    const { size } = fstatSync(handle);
    return pages * pageSize > size ? `it was cut to ${size} of ${pages * pageSize} bytes` : undefined;
  } finally {
    closeSync(handle);
  }
}

function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** One of the two that LMDB writes in turns. */
function metaAt(handle: number, at: number): Buffer | undefined {
  const page = Buffer.alloc(META.bytes);
  const isMeta =
    readSync(handle, page, 0, META.bytes, at) === META.bytes &&
    (page.readUInt16LE(META.flags) & IS_META_PAGE) !== 0 &&
    page.readUInt32LE(META.magic) === MAGIC &&
    (page.readUInt32LE(META.version) & 0xffff) === VERSION;
  return isMeta ? page : undefined;
}

/**
 * How the last process that had the file open left it:
 * - `opening`: it came no further, and the file may be what ended it;
 * - `in use`: it ended without closing it, and the kernel still has everything that it wrote;
 * - `cut off`: the same, but the machine went down since, or that cannot be told;
 * - `closed`: everything is on the disk;
 * - `unknown`: nothing says it.
 */
export type Left = 'opening' | 'in use' | 'cut off' | 'closed' | 'unknown';

/** The note beside a file that says so: `opening`, `open <boot of the machine>` or `closed`. */
export class FileNote {
  constructor(private readonly path: string) {}

  read(): Left {
    const text = this.text();
    if (text === 'opening' || text === 'closed') return text;
    const [, boot] = /^open (.*)$/.exec(text) ?? [];
    if (boot === undefined) return 'unknown';
    // An unknown boot equals no other.
    return boot !== '' && boot === bootId() ? 'in use' : 'cut off';
  }

  /** Before the file is changed or even opened: on the disk when this returns. */
  opening(): void {
    this.write('opening');
    flushDirectory(dirname(this.path));
  }

  /** Not waited for: if it is lost with the machine, `opening` says the same. */
  open(): void {
    this.write(`open ${bootId() ?? ''}`);
  }

  /** Once everything else is on the disk. */
  closed(): void {
    this.write('closed');
    flushDirectory(dirname(this.path));
  }

  private text(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }

  /** Renamed into place: part of a note would say nothing. */
  private write(text: string): void {
    const aside = `${this.path}.new`;
    try {
      writeFileSync(aside, text, { flush: true, mode: 0o600 });
      renameSync(aside, this.path);
    } catch {
      // The disk is full. What the note says is no longer true, so there is none.
      rmSync(this.path, { force: true });
    }
  }
}
