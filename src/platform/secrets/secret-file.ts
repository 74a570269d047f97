import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { flushDirectory } from '../../kernel/flush-directory';

const MIN_SECRET_LENGTH = 32;

const fileIn = (dataDir: string): string => join(dataDir, 'service-secret');
/** The next secret during a rotation; at any other time there is no such file. */
const nextIn = (dataDir: string): string => `${fileIn(dataDir)}.next`;
const replacedIn = (dataDir: string): string => `${fileIn(dataDir)}.replaced`;

/** On the embedded store the secret is kept beside the data: generated once, readable only by the owner. */
export function serviceSecretIn(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  if (!hasSecretFile(dataDir)) generate(fileIn(dataDir));
  return secretInFile(fileIn(dataDir));
}

export const hasSecretFile = (dataDir: string): boolean => existsSync(fileIn(dataDir));

/** The secret that will replace the one in the file: the same on every call until it has. For one process at a time. */
export function nextSecretIn(dataDir: string): string {
  const file = nextIn(dataDir);
  if (nextSecretThere(dataDir) === undefined) {
    const aside = `${file}.new`;
    writeFileSync(aside, newSecret(), { mode: 0o600, flush: true });
    renameSync(aside, file);
    flushDirectory(dataDir);
  }
  return secretInFile(file);
}

/** As they are on disk, for inspection only. */
export const secretThere = (dataDir: string): string | undefined => lookInto(fileIn(dataDir));
export const nextSecretThere = (dataDir: string): string | undefined => lookInto(nextIn(dataDir));

function lookInto(file: string): string | undefined {
  const secret = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return secret.length < MIN_SECRET_LENGTH ? undefined : secret;
}

export const hasNextSecretFile = (dataDir: string): boolean => existsSync(nextIn(dataDir));

/** Atomic: a process that starts meanwhile finds one or the other. Safe to repeat; the `.next` file is removed last. */
export function putNextSecretInPlace(dataDir: string): void {
  const [file, next] = [fileIn(dataDir), nextIn(dataDir)];
  if (readFileSync(file, 'utf8') !== readFileSync(next, 'utf8')) {
    const aside = `${file}.new`;
    writeFileSync(aside, readFileSync(next), { mode: 0o600, flush: true });
    rmSync(replacedIn(dataDir), { force: true });
    linkSync(file, replacedIn(dataDir));
    renameSync(aside, file);
    flushDirectory(dataDir);
  }
  blankReplaced(dataDir);
  rmSync(next);
  flushDirectory(dataDir);
}

/** For a next secret that is kept elsewhere. Safe to repeat. */
export function removeSecretFile(dataDir: string): void {
  if (existsSync(fileIn(dataDir))) renameSync(fileIn(dataDir), replacedIn(dataDir));
  blankReplaced(dataDir);
  removeNextSecret(dataDir);
}

/** For a next secret that never came into use, because another was given instead. */
export function removeNextSecret(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  for (const file of [`${nextIn(dataDir)}.new`, nextIn(dataDir)]) rmSync(file, { force: true });
  flushDirectory(dataDir);
}

/** Overwritten before it is removed, so that free blocks hold no secret. */
function blankReplaced(dataDir: string): void {
  const file = replacedIn(dataDir);
  if (!existsSync(file)) return;
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, Buffer.alloc(statSync(file).size, ' '), 0, undefined, 0);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  rmSync(file);
}

function secretInFile(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < MIN_SECRET_LENGTH) throw new Error(`${file} holds no secret; restore it from a backup`);
  chmodSync(file, 0o600);
  return secret;
}

const newSecret = (): string => `${randomBytes(32).toString('base64url')}\n`;

// Written aside and linked into place: a crash leaves no partial secret, and if two processes start, one secret wins.
function generate(file: string): void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, newSecret(), { mode: 0o600, flush: true });
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  // Before the log notes its fingerprint, which survives a power failure.
  flushDirectory(dirname(file));
}
