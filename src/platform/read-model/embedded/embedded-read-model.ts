import { mkdirSync } from 'node:fs';
import { DirectoryLock } from '../../event-store/embedded/directory-lock';
import { type ReadModelStore } from '../read-model.port';
import { LmdbReadModelStore } from './lmdb-store';
import {
  asUnreadable,
  checkEnvironment,
  discardEnvironment,
  isKnownDamaged,
  ReadModelDamaged,
  ReadModelUnreadable,
  unpad,
} from './environment';
import { assertProven, assertProvenReadOnly, forgetUse, isClosed, noteInUse, prove } from './proving';
import { openTables, openTablesReadOnly } from './tables';

export type EmbeddedReadModelOptions = Readonly<{
  /** Keeps a second process away, where the lock of the embedded event store does not; rejects with StoreInUse. */
  isLocked?: boolean;
  /** If the file is unreadable, start empty and be rebuilt; without it opening fails with ReadModelUnreadable. */
  discardUnreadable?: boolean;
  onDiscard?: (why: Error) => void;
}>;

/** For the process that writes it. */
export async function openEmbeddedReadModel(
  directory: string,
  options: EmbeddedReadModelOptions = {},
): Promise<LmdbReadModelStore> {
  if (options.isLocked !== true) return openOrDiscard(directory, options);
  mkdirSync(directory, { recursive: true });
  const lock = await DirectoryLock.acquireForLife(directory);
  const release = (): void => lock.release();
  try {
    return await openOrDiscard(directory, options, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openOrDiscard(
  directory: string,
  { discardUnreadable, onDiscard }: EmbeddedReadModelOptions,
  release?: () => void,
): Promise<LmdbReadModelStore> {
  try {
    return await openChecked(directory, release);
  } catch (error) {
    if (!(error instanceof ReadModelUnreadable) || discardUnreadable !== true) throw error;
    onDiscard?.(error);
    discardEnvironment(directory);
    forgetUse(directory);
    return openChecked(directory, release);
  }
}

/** For another thread of a process that has opened it and found it readable. */
export const openEmbeddedReadModelBeside = async (directory: string): Promise<LmdbReadModelStore> =>
  new LmdbReadModelStore(directory, await openTables(directory));

/** For setting bookmarks while another process writes the read model; if none does, this process holds it meanwhile. */
export const openEmbeddedReadModelToMark = (directory: string): Promise<LmdbReadModelStore> =>
  isClosed(directory) ? openChecked(directory) : openEmbeddedReadModelBeside(directory);

/** Read-only, while another process may write: sees what that process has committed. */
export async function openEmbeddedReadModelReadOnly(directory: string): Promise<ReadModelStore> {
  try {
    await assertProvenReadOnly(directory);
    return new LmdbReadModelStore(directory, openTablesReadOnly(directory));
  } catch (error) {
    const known = asUnreadable(directory, error);
    throw known instanceof ReadModelUnreadable ? new ReadModelDamaged(directory, known) : known;
  }
}

async function openChecked(directory: string, release = (): void => undefined): Promise<LmdbReadModelStore> {
  if (isKnownDamaged(directory)) throw new ReadModelUnreadable(directory, 'it was found damaged while it was in use');
  const shortBefore = checkEnvironment(directory);
  try {
    await (shortBefore === undefined ? assertProven(directory) : prove(directory));
    mkdirSync(directory, { recursive: true });
    const noteClosed = noteInUse(directory);
    const onClosed = (): Promise<void> => noteClosed().finally(release);
    return new LmdbReadModelStore(directory, await openTables(directory), onClosed);
  } catch (error) {
    if (shortBefore !== undefined) unpad(directory, shortBefore);
    throw asUnreadable(directory, error);
  }
}
