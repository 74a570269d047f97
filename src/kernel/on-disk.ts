import { type FileHandle, open } from 'node:fs/promises';

/** Resolves when the change is on the disk, without blocking the event loop meanwhile. Also opens a directory ('r'). */
export async function onDisk(
  file: string,
  flags: string,
  change: (handle: FileHandle) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await change(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
