import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type KeptKey } from '../personal-key-store.port';

/**
 * Off the event loop: only an unknown address gets a new key, and blocking on the disk there would visibly delay the
 * next request.
 */
export async function onDisk(
  file: string,
  flags: string,
  write: (handle: FileHandle) => Promise<unknown>,
): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function keptIn(text: string): KeptKey {
  const { keyId, wrapped, destroyedAt } = JSON.parse(text) as Partial<Record<string, unknown>>;
  if (typeof keyId === 'string' && typeof wrapped === 'string') return { keyId, wrapped };
  if (typeof destroyedAt !== 'string') throw new TypeError('neither a key nor the note of one');
  return { keyId: typeof keyId === 'string' ? keyId : null, destroyedAt };
}

/** Throws any other failure. */
export const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
    return undefined;
  };

/** Overwrites with blanks and flushes, so that the key can be found neither in the file nor in free blocks. */
export async function overwrite(file: string): Promise<void> {
  const { length } = await readFile(file);
  await onDisk(file, 'r+', (handle) => handle.write(Buffer.alloc(length, ' '), 0, length, 0));
}
