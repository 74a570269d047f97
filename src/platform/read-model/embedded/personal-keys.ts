import { mkdirSync } from 'node:fs';
import { opendir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KeyedQueue } from '../../../kernel/keyed-queue';
import { onDisk } from '../../../kernel/on-disk';
import { pause } from '../../../kernel/pause';
import { DirectoryLock, StoreInUse } from '../../directory-lock';
import {
  isLiving,
  type KeptKey,
  type LivingKey,
  type PersonalKeyStore,
  UnreadableKey,
} from '../personal-key-store.port';

const OWNER = /^[A-Za-z0-9_]{1,160}$/;
/** Owners are ids; other files in the directory are ignored. */
const KEY_FILE = /^([a-z]{2,3}_[A-Za-z0-9]+)\.json$/;
const LOCK_RETRY_MS = 5;
const LOCK_TIMEOUT_MS = 10_000;

/**
 * A file for each person, with the key or the note of its destruction; it is only ever replaced as a whole. Not in a
 * database file, because there a deleted value stays in a page of a file that is backed up; here its blocks are the
 * file system's to use again.
 */
export class FilePersonalKeyStore implements PersonalKeyStore {
  private readonly queue = new KeyedQueue();

  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  async find(owner: string): Promise<KeptKey | undefined> {
    return keptIn(this.fileOf(owner));
  }

  keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey> {
    return this.changing(owner, async (file) => {
      const there = await keptIn(file);
      if (isLiving(there)) return there;
      return this.put(file, { keyId, wrapped });
    });
  }

  destroy(owner: string, at: string): Promise<void> {
    return this.changing(owner, async (file) => {
      const there = await keptIn(file).catch(whatIsDamaged);
      if (there !== undefined && 'destroyedAt' in there) return;
      await this.put(file, { keyId: there?.keyId ?? null, destroyedAt: at });
    });
  }

  async *owners(): AsyncGenerator<string, void> {
    for await (const { name } of await opendir(this.directory)) {
      const owner = KEY_FILE.exec(name)?.[1];
      if (owner !== undefined && (await this.mayHaveKey(owner))) yield owner;
    }
  }

  rewrap(owner: string, before: LivingKey, wrapped: string): Promise<boolean> {
    return this.changing(owner, async (file) => {
      const there = await keptIn(file);
      if (!isLiving(there) || there.keyId !== before.keyId || there.wrapped !== before.wrapped) return false;
      if (wrapped !== before.wrapped) await this.put(file, { keyId: there.keyId, wrapped });
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

  /**
   * Excludes other processes too: a key destroyed by one must not be restored by another that is rewrapping it. One
   * change of this process at a time: many retries at once would wait longer than LOCK_TIMEOUT_MS.
   */
  private async changing<T>(owner: string, work: (file: string) => Promise<T>): Promise<T> {
    const file = this.fileOf(owner);
    return this.queue.run(this.directory, async () => {
      const lock = await this.lock();
      try {
        // Of a process that was killed before it had replaced the file.
        await rm(asideOf(file), { force: true });
        return await work(file);
      } finally {
        lock.release();
      }
    });
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

  /** What was there is in no file any more once this resolves. */
  private async put<K extends KeptKey>(file: string, kept: K): Promise<K> {
    await onDisk(asideOf(file), 'w', (handle) => handle.writeFile(`${JSON.stringify(kept)}\n`));
    await rename(asideOf(file), file);
    await onDisk(this.directory, 'r');
    return kept;
  }
}

const asideOf = (file: string): string => `${file}.new`;

async function keptIn(file: string): Promise<KeptKey | undefined> {
  try {
    const { keyId, wrapped, destroyedAt } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    if (typeof keyId === 'string' && typeof wrapped === 'string') return { keyId, wrapped };
    if (typeof destroyedAt !== 'string') throw new TypeError('neither a key nor the note of one');
    return { keyId: typeof keyId === 'string' ? keyId : null, destroyedAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UnreadableKey(`${basename(file)} cannot be read`, { cause: error });
  }
}

/** A damaged key is destroyed like any other; a file that we have no permission to read is an error. */
function whatIsDamaged(error: Error): undefined {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof UnreadableKey) || code !== undefined) throw error;
  return undefined;
}
