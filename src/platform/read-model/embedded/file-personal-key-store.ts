import { mkdirSync } from 'node:fs';
import { link, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KeyedQueue } from '../../../kernel/keyed-queue';
import { pause } from '../../../kernel/pause';
import { DirectoryLock } from '../../event-store/embedded/directory-lock';
import { StoreInUse } from '../../event-store/embedded/errors';
import { keptIn, onDisk, overwrite, unless } from './key-files';
import {
  isLiving,
  type KeptKey,
  type PersonalKeyStore,
  type LivingKey,
  UnreadableKey,
} from '../personal-key-store.port';

/** Behind the name of a file whose key is being destroyed. */
const DOOMED = '.doomed';
/** Behind the name of a file with the same key wrapped anew, before it takes that name; and of the one it takes it from. */
const REWRAPPED = '.rewrapped';
const REPLACED = '.replaced';
const OWNER = /^[A-Za-z0-9_]{1,160}$/;
/** Owners are ids. Whatever else lies in the directory is somebody else's. */
const KEY_FILE = /^([a-z]{2,3}_[A-Za-z0-9]+)\.json$/;
/** Stands for a file that is there and cannot be understood. */
const DAMAGED: KeptKey = { keyId: null, destroyedAt: '' };
/** No owner has this name. */
const THE_LOCK = '.lock';
const LOCK_AGAIN_MS = 5;
const LOCKED_FOR_MOST_MS = 10_000;

/**
 * A file for each person. Not in a database file, because there a deleted value stays in a free page until chance overwrites
 * it; here the bytes of a key are overwritten in place once the note has taken their file's name. A process that dies on the way
 * leaves either the key or the note, and what it put aside; the next one that destroys anything finishes that.
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
        // The bytes of the key before may still lie there, where its end was cut short.
        await this.finish(file);
        await this.replace(file, kept);
      }
      return (await this.read(file)) ?? kept;
    });
  }

  destroy(owner: string, at: string): Promise<void> {
    return this.alone(owner, async () => {
      const file = this.fileOf(owner);
      const there = await this.readToDestroy(file);
      if (there !== undefined && !isLiving(there) && there !== DAMAGED) {
        await this.finish(file);
        return;
      }
      const doomed = `${file}${DOOMED}`;
      // A second name for the key's file: its bytes can be found and overwritten whenever the process dies after this.
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
    return this.alone(owner, async () => {
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

  /** Also among processes: a key that is destroyed in one must not be brought back by another that wraps it anew. */
  private alone<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.queue.run(owner, () =>
      // One of this process at a time: a crowd that tries again and again would wait longer than a lock may be held.
      this.queue.run(THE_LOCK, async () => {
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
        return DirectoryLock.acquire(this.directory);
      } catch (error) {
        if (!(error instanceof StoreInUse) || performance.now() - begun > LOCKED_FOR_MOST_MS) throw error;
        await pause(LOCK_AGAIN_MS);
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
      // Blanked by a process of an older kind that died before it left its note: the key is gone, and that is what is noted.
      if (text.trim() === '') return { keyId: null, destroyedAt: (await stat(file)).mtime.toISOString() };
      return keptIn(text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new UnreadableKey(`${basename(file)} cannot be read`, { cause: error });
    }
  }

  /** What is no key any more is destroyed as one: whoever asked for it must not be told that it stays. One that the system keeps from us is not. */
  private async readToDestroy(file: string): Promise<KeptKey | undefined> {
    try {
      return await this.read(file);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (!(error instanceof UnreadableKey) || code !== undefined) throw error;
      return DAMAGED;
    }
  }

  /** Overwrites what an end of a key has left under its second name, and writes the note where only blanks are. */
  private async finish(file: string): Promise<void> {
    const doomed = `${file}${DOOMED}`;
    await overwrite(doomed).then(() => rm(doomed, { force: true }), unless('ENOENT'));
    await this.finishRewrap(file);
    if ((await readFile(file, 'utf8')).trim() !== '') return;
    const noted = await this.read(file);
    if (noted !== undefined) await this.replace(file, noted);
  }

  /** Overwrites what was put aside when a key was wrapped anew, also by a process that died over it; never the key that is in place. */
  private async finishRewrap(file: string): Promise<void> {
    const inPlace = await stat(file).catch(unless('ENOENT'));
    for (const aside of [`${file}${REWRAPPED}`, `${file}${REPLACED}`]) {
      const there = await stat(aside).catch(unless('ENOENT'));
      if (there === undefined) continue;
      if (there.ino !== inPlace?.ino) await overwrite(aside);
      await rm(aside, { force: true });
    }
  }

  /** Linked into place: of two processes that make one at the same time, one key wins. */
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
