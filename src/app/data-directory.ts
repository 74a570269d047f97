import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Config, ConfigError } from '../platform/config';

/** Creates the data directory if anything is stored there; if it cannot be used, the error names it. */
export function prepareDataDirectory({ dataDir, eventStore, readStore, mailUrl }: Config): void {
  const isNeeded = eventStore.kind === 'embedded' || readStore.kind === 'embedded' || mailUrl === 'outbox:';
  if (!isNeeded) return;
  try {
    make(resolve(dataDir));
    tryWriting(resolve(dataDir));
    // The stores report their own files. These are first used when a person signs up, and then only the log would say so.
    if (readStore.kind === 'embedded') tryKeys(resolve(dataDir, 'personal-keys'));
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/**
 * For commands that replace files: the service could not read the files of another user, such as root. The directory
 * itself may be root's, as a mounted volume is; the files that the service made in it show which user it runs as.
 */
export function assertBelongsToUser({ dataDir }: Config): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  for (const name of ['service-secret', 'personal-keys', 'events', 'read-model']) {
    const owner: number = statSync(join(dataDir, name), { throwIfNoEntry: false })?.uid ?? user;
    if (owner !== user)
      throw new ConfigError(`DATA_DIR ${dataDir} belongs to the user with id ${owner}: run this as that user`);
  }
}

export const unusable = (dataDir: string, error: unknown): ConfigError =>
  new ConfigError(`DATA_DIR ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`);

/** Level by level: Node's own recursion never ends where the system hides an existing parent, as in /proc. */
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

/** Tests by writing: permissions do not reveal a read-only disk, or what even root may not do. */
function tryWriting(directory: string): void {
  const probe = join(directory, `.probe-${process.pid}`);
  try {
    closeSync(openSync(probe, 'w', 0o600));
    rmSync(probe);
  } catch (error) {
    // A full disk does not prevent the start: its data can still be read.
    if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
  }
}

/** After a restore by another user, all of them or only the files may be out of reach. */
function tryKeys(directory: string): void {
  if (!existsSync(directory)) return;
  tryWriting(directory);
  const file = readdirSync(directory).find((name) => /^[a-z]+_\w+\.json$/.test(name));
  try {
    if (file !== undefined) closeSync(openSync(join(directory, file), 'r+'));
  } catch (error) {
    // A single damaged key concerns one person, not all of them.
    if (codeOf(error) === 'EACCES') throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
