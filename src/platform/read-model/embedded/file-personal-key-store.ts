import { mkdirSync } from 'node:fs';
import { link, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KeyedQueue } from '../../../kernel/keyed-queue';
import { pause } from '../../../kernel/pause';
import { DirectoryLock, StoreInUse } from '../../directory-lock';
import { keptIn, onDisk, overwrite, unless } from './key-files';
import {
  isLiving,
  type KeptKey,
  type PersonalKeyStore,
  type LivingKey,
  UnreadableKey,
} from '../personal-key-store.port';

/** Suffix of a file whose key is being destroyed. */
const DOOMED = '.doomed';
/** Suffix of a file with the rewrapped key, before it replaces the old file; and suffix of the replaced file. */
const REWRAPPED = '.rewrapped';
const REPLACED = '.replaced';
const OWNER = /^[A-Za-z0-9_]{1,160}$/;
/** Owners are ids; other files in the directory are ignored. */
const KEY_FILE = /^([a-z]{2,3}_[A-Za-z0-9]+)\.json$/;
/** Stands for a file that exists and cannot be understood. */
const DAMAGED: KeptKey = { keyId: null, destroyedAt: '' };
/** Cannot collide with an owner. */
const LOCK_KEY = '.lock';
const LOCK_RETRY_MS = 5;
const LOCK_TIMEOUT_MS = 10_000;

/**
 * One file per person. Not in a database file, because there a deleted value stays in a free page until something
 * overwrites it; here the bytes of a key are overwritten in place, once a note of the destruction has replaced the
 * file. A process that dies halfway leaves the key or the note, plus the renamed file; the next destroy for that owner
 * finishes it.
 */
export class FilePersonalKeyStore implements PersonalKeyStore {
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
      const there = await this.read(file);
      if (isLiving(there)) return there;
      const kept = { keyId, wrapped };
      if (there === undefined) await this.create(file, kept);
      else {
        // The bytes of the previous key may still be on disk, if its destruction was interrupted.
        await this.finish(file);
        await this.replace(file, kept);
      }
      return (await this.read(file)) ?? kept;
    });
  }

  destroy(owner: string, at: string): Promise<void> {
    return this.exclusively(owner, async () => {
      const file = this.fileOf(owner);
      const there = await this.readToDestroy(file);
      if (there !== undefined && !isLiving(there) && there !== DAMAGED) {
        await this.finish(file);
        return;
      }
      const doomed = `${file}${DOOMED}`;
      // A second name for the key's file: its bytes can be found and overwritten if the process dies after this.
      if (there !== undefined) await link(file, doomed).catch(unless('EEXIST'));
      await this.replace(file, { keyId: there?.keyId ?? null, destroyedAt: at });
      await this.finish(file);
    });
  }

  async *owners(): AsyncGenerator<string, void> {
    for await (const { name } of await opendir(this.directory)) {
      const owner = KEY_FILE.exec(name)?.[1];
      if (owner !== undefined && (await this.mayHaveKey(owner))) yield owner;
    }
  }

  rewrap(owner: string, before: LivingKey, wrapped: string): Promise<boolean> {
    return this.exclusively(owner, async () => {
      const file = this.fileOf(owner);
      const there = await this.read(file);
      await this.finishRewrap(file);
      if (!isLiving(there) || there.keyId !== before.keyId || there.wrapped !== before.wrapped) return false;
      if (wrapped === before.wrapped) return true;
      await link(file, `${file}${REPLACED}`);
      await this.write(`${file}${REWRAPPED}`, { keyId: there.keyId, wrapped });
      await rename(`${file}${REWRAPPED}`, file);
      await this.flushDirectory();
      await this.finishRewrap(file);
      return true;
    });
  }

  placeOf(owner: string): string {
    return join(basename(this.directory), `${owner}.json`);
  }

  async close(): Promise<void> {}

  private async mayHaveKey(owner: string): Promise<boolean> {
    try {
      return isLiving(await this.find(owner));
    } catch (error) {
      if (error instanceof UnreadableKey) return true;
      throw error;
    }
  }

  /** Also excludes other processes: a key destroyed by one must not be restored by another that is rewrapping it. */
  private exclusively<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.queue.run(owner, () =>
      // One call of this process at a time: many retries at once would wait longer than LOCK_TIMEOUT_MS.
      this.queue.run(LOCK_KEY, async () => {
        const lock = await this.lock();
        try {
          return await work();
        } finally {
          lock.release();
        }
      }),
    );
  }

  private async lock(): Promise<DirectoryLock> {
    for (const begun = performance.now(); ;) {
      try {
        return await DirectoryLock.acquire(this.directory);
      } catch (error) {
        if (!(error instanceof StoreInUse) || performance.now() - begun > LOCK_TIMEOUT_MS) throw error;
        await pause(LOCK_RETRY_MS);
      }
    }
  }

  private fileOf(owner: string): string {
    if (!OWNER.test(owner)) throw new TypeError('no name for the owner of a key');
    return join(this.directory, `${owner}.json`);
  }

  private async read(file: string): Promise<KeptKey | undefined> {
    try {
      const text = await readFile(file, 'utf8');
      // An older version blanked it and died before writing the note: the key is gone, so it counts as destroyed.
      if (text.trim() === '') return { keyId: null, destroyedAt: (await stat(file)).mtime.toISOString() };
      return keptIn(text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new UnreadableKey(`${basename(file)} cannot be read`, { cause: error });
    }
  }

  /** An unreadable key is destroyed as requested; a file that we have no permission to read is an error. */
  private async readToDestroy(file: string): Promise<KeptKey | undefined> {
    try {
      return await this.read(file);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (!(error instanceof UnreadableKey) || code !== undefined) throw error;
      return DAMAGED;
    }
  }

  /** Overwrites what destroying a key left under its second name, and writes the note if the file is blank. */
  private async finish(file: string): Promise<void> {
    const doomed = `${file}${DOOMED}`;
    await overwrite(doomed).then(() => rm(doomed, { force: true }), unless('ENOENT'));
    await this.finishRewrap(file);
    if ((await readFile(file, 'utf8')).trim() !== '') return;
    const noted = await this.read(file);
    if (noted !== undefined) await this.replace(file, noted);
  }

  /** Overwrites the files that an interrupted rewrap left behind; never the current key. */
  private async finishRewrap(file: string): Promise<void> {
    const inPlace = await stat(file).catch(unless('ENOENT'));
    for (const aside of [`${file}${REWRAPPED}`, `${file}${REPLACED}`, `${file}${DOOMED}`]) {
      const there = await stat(aside).catch(unless('ENOENT'));
      if (there === undefined) continue;
      if (there.ino !== inPlace?.ino) await overwrite(aside);
      await rm(aside, { force: true });
    }
  }

  /** Linked into place: if two processes create a key at the same time, one of them wins. */
  private async create(file: string, kept: KeptKey): Promise<void> {
    const aside = await this.aside(file, kept);
    try {
      await link(aside, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(aside, { force: true });
    }
    await this.flushDirectory();
  }

  private async replace(file: string, kept: KeptKey): Promise<void> {
    await rename(await this.aside(file, kept), file);
    await this.flushDirectory();
  }

  private async aside(file: string, kept: KeptKey): Promise<string> {
    this.asides += 1;
    const aside = `${file}.${process.pid}.${this.asides}`;
    await this.write(aside, kept);
    return aside;
  }

  private write(file: string, kept: KeptKey): Promise<void> {
    return onDisk(file, 'w', (handle) => handle.writeFile(`${JSON.stringify(kept)}\n`));
  }

  private flushDirectory(): Promise<void> {
    return onDisk(this.directory, 'r', async () => undefined);
  }
}
