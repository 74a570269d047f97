import { type ReadModelStore } from '../read-model.port';
import { LmdbReadModelStore } from './lmdb-store';
import {
  asUnreadable,
  checkEnvironment,
  discardEnvironment,
  isKnownDamaged,
  ReadModelUnreadable,
  unpad,
} from './environment';
import { openTables, openTablesReadOnly, tryEverything, type Tables } from './tables';

export type EmbeddedReadModelOptions = Readonly<{
  /** Where the file is unreadable, begin empty and be rebuilt; without it opening fails with ReadModelUnreadable. */
  discardUnreadable?: boolean;
}>;

export async function openEmbeddedReadModel(
  directory: string,
  options: EmbeddedReadModelOptions = {},
): Promise<LmdbReadModelStore> {
  try {
    return await openChecked(directory);
  } catch (error) {
    if (!(error instanceof ReadModelUnreadable) || options.discardUnreadable !== true) throw error;
    discardEnvironment(directory);
    return openChecked(directory);
  }
}

/** In another thread of a process that has opened it, and has seen that it can be read. */
export const openEmbeddedReadModelBeside = async (directory: string): Promise<LmdbReadModelStore> =>
  new LmdbReadModelStore(directory, await openTables(directory));

/** Beside the process that writes it: it sees what that one has committed, and can change nothing. */
export async function openEmbeddedReadModelReadOnly(directory: string): Promise<ReadModelStore> {
  try {
    return new LmdbReadModelStore(directory, openTablesReadOnly(directory));
  } catch (error) {
    throw asUnreadable(directory, error);
  }
}

async function openChecked(directory: string): Promise<LmdbReadModelStore> {
  if (isKnownDamaged(directory)) throw new ReadModelUnreadable(directory, 'it was found damaged while it was in use');
  const shortBefore = checkEnvironment(directory);
  try {
    const tables = await openTables(directory);
    if (shortBefore !== undefined) await closeUnlessReadable(tables);
    return new LmdbReadModelStore(directory, tables);
  } catch (error) {
    if (shortBefore !== undefined) unpad(directory, shortBefore);
    throw asUnreadable(directory, error);
  }
}

/** Reading everything takes a while, but only a file that lost its tail is put to it. */
async function closeUnlessReadable(tables: Tables): Promise<void> {
  try {
    await tryEverything(tables);
  } catch (error) {
    await tables.environment.close();
    throw error;
  }
}
