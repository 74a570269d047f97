import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Config, ConfigError } from '../platform/config';

/** Makes the data directory if anything is to be kept there, and refuses by name one that cannot be used. */
export function prepareDataDirectory({ dataDir, eventStore, readStore, mailUrl }: Config): void {
  const isNeeded = eventStore.kind === 'embedded' || readStore.kind === 'embedded' || mailUrl === 'outbox:';
  if (!isNeeded) return;
  try {
    make(resolve(dataDir));
    tryWriting(resolve(dataDir));
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/**
 * For commands that put files in the place of others: those of another user, root say, the service could not read. The directory
 * itself may be root's, as a mounted volume is; what the service has made in it tells whose it is.
 */
export function assertBelongsToUser({ dataDir }: Config): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  for (const name of ['service-secret', 'personal-keys', 'events', 'read-model']) {
    const owner: number = statSync(join(dataDir, name), { throwIfNoEntry: false })?.uid ?? user;
    if (owner !== user)
      throw new ConfigError(`DATA_DIR ${dataDir} is of the user with id ${owner}: run this as that user`);
  }
}

export const unusable = (dataDir: string, error: unknown): ConfigError =>
  new ConfigError(`DATA_DIR ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`);

/** Level by level: Node's own recursion never ends where the system denies that an existing parent is there, as in /proc. */
function make(directory: string): void {
  if (existsSync(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) make(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** By doing it: permissions alone do not tell of a read-only disk, nor of what root may not do either. */
function tryWriting(directory: string): void {
  const probe = join(directory, `.probe-${process.pid}`);
  try {
    closeSync(openSync(probe, 'w', 0o600));
    rmSync(probe);
  } catch (error) {
    // A full disk is the right one all the same; what is there can still be read.
    if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
