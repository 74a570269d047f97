import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { isLiving, type KeptKey, type KeyShelf } from '../key-shelf.port';

const OWNER = /^[A-Za-z0-9_]{1,160}$/;

/**
 * A file for each person. Not in a database file, because there a deleted value stays in a free page until chance overwrites
 * it; here the bytes of a key are overwritten in place before the note takes their file's place.
 */
export class FileKeyShelf implements KeyShelf {
  private readonly queue = new KeyedQueue();
  private asides = 0;

  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  async find(owner: string): Promise<KeptKey | undefined> {
    return this.read(this.fileOf(owner));
  }

  keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey> {
    return this.queue.run(owner, async () => {
      const file = this.fileOf(owner);
      const there = this.read(file);
      if (isLiving(there)) return there;
      const kept = { keyId, wrapped };
      if (there === undefined) this.create(file, kept);
      else this.replace(file, kept);
      return this.read(file) ?? kept;
    });
  }

  destroy(owner: string, at: string): Promise<void> {
    return this.queue.run(owner, async () => {
      const file = this.fileOf(owner);
      const there = this.read(file);
      if (there !== undefined && !isLiving(there)) return;
      if (there !== undefined) overwrite(file);
      this.replace(file, { keyId: there?.keyId ?? null, destroyedAt: at });
    });
  }

  async close(): Promise<void> {}

  private fileOf(owner: string): string {
    if (!OWNER.test(owner)) throw new TypeError('no name for the owner of a key');
    return join(this.directory, `${owner}.json`);
  }

  private read(file: string): KeptKey | undefined {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as KeptKey;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Linked into place: of two processes that make one at the same time, one key wins. */
  private create(file: string, kept: KeptKey): void {
    const aside = this.aside(file, kept);
    try {
      linkSync(aside, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(aside, { force: true });
    }
    this.flushDirectory();
  }

  private replace(file: string, kept: KeptKey): void {
    renameSync(this.aside(file, kept), file);
    this.flushDirectory();
  }

  private aside(file: string, kept: KeptKey): string {
    this.asides += 1;
    const aside = `${file}.${process.pid}.${this.asides}`;
    const handle = openSync(aside, 'w', 0o600);
    writeSync(handle, `${JSON.stringify(kept)}\n`);
    fsyncSync(handle);
    closeSync(handle);
    return aside;
  }

  private flushDirectory(): void {
    const handle = openSync(this.directory, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
}

/** With blanks and on disk, so that neither the name's old file nor a reader of free blocks finds the key. */
function overwrite(file: string): void {
  const length = readFileSync(file).length;
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(length, ' '), 0, length, 0);
  fsyncSync(handle);
  closeSync(handle);
}
