import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type * as Lmdb from 'lmdb';
import type * as Zlib from 'node:zlib';
import { StoreCorrupt } from './errors';

type LogCheck = Readonly<{ corrupt?: string; failed?: string; events?: number }>;

/** Signals that end a process when it hits a damaged file; any other signal came from outside. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

/**
 * Rejects with StoreCorrupt unless the whole log is as it was written. A child process reads it, because the engine may
 * crash on a damaged file.
 */
export async function verifyLog(file: string): Promise<void> {
  const program = `
    const answer = (${readAll.toString()})(require, ...process.argv.slice(1));
    require('node:fs').writeSync(1, JSON.stringify(answer));
    process.exit();
  `;
  const child = spawn(process.execPath, ['-e', program, require.resolve('lmdb'), file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve(signal));
  });
  const [answer, complaint, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (CRASHES.includes(signal)) throw new StoreCorrupt(file, `it cannot be read (the check ended with ${signal})`);
  const verdict = answer === '' ? undefined : (JSON.parse(answer) as LogCheck);
  if (verdict?.corrupt !== undefined) throw new StoreCorrupt(file, verdict.corrupt);
  if (verdict?.events === undefined)
    throw new Error(`${file}: could not be checked: ${verdict?.failed ?? signal ?? complaint.trim()}`);
}

/**
 * Reads every record and every index entry. The text of this function runs in a child process, so it may use only
 * its parameters, not even the counters of a coverage report.
 */
/* istanbul ignore next */
function readAll(require: NodeJS.Require, lmdbPath: string, file: string): LogCheck {
  const lmdb = require(lmdbPath) as typeof Lmdb;
  const zlib = require('node:zlib') as typeof Zlib;
  const open = () => {
    const root = lmdb.open<Buffer, number>(file, { noSubdir: true, readOnly: true });
    const log = root.openDB<Buffer, number>('log', { encoding: 'binary' });
    const streams = root.openDB<number, [string, number]>('streams', { encoding: 'json' });
    return { root, log, streams };
  };

  const findProblem = ({ log, streams }: ReturnType<typeof open>, count: number): string | undefined => {
    // What the index says of each position: the version, and a hash of the stream's name instead of a million names.
    const versions = new Float64Array(count + 1);
    const names = new Uint32Array(count + 1);
    let stream: string | undefined;
    let name = 0;
    let version = 0;
    let last = 0;
    let indexed = 0;
    for (const { key, value } of streams.getRange()) {
      if (key[0] !== stream) {
        stream = key[0];
        name = zlib.crc32(stream);
        version = 0;
        last = 0;
      }
      version += 1;
      if (key[1] !== version) return `the index lacks event ${version} of stream ${JSON.stringify(stream)}`;
      if (!Number.isInteger(value) || value <= last || value > count || versions[value] !== 0) {
        return `the index has a wrong place for event ${version} of stream ${JSON.stringify(stream)}`;
      }
      last = value;
      versions[value] = version;
      names[value] = name;
      indexed += 1;
    }

    let position = 0;
    for (const { key, value } of log.getRange()) {
      position += 1;
      if (key !== position) return `event ${position} of the log is missing`;
      if (value.length < 4 || value.readUInt32BE() !== zlib.crc32(value.subarray(4))) {
        return `event ${position} of the log does not match its checksum`;
      }
      // A quote inside a JSON string is escaped, so the first match ends stream and version; the rest is not parsed.
      const head = `${value.toString('utf8', 4, value.indexOf(',"type":'))}}`;
      const event = JSON.parse(head) as { stream: string; version: number };
      if (event.version !== versions[position] || zlib.crc32(event.stream) !== names[position]) {
        return `event ${position} of the log is not the one that the index has there`;
      }
    }
    if (position !== count) return `the log has ${position} events where ${count} are counted`;
    return indexed === count ? undefined : `the index has ${indexed} events where the log has ${count}`;
  };

  try {
    const tables = open();
    // The types do not say so, but a missing table is undefined when the file is opened read-only.
    if (!(tables.log as unknown) || !(tables.streams as unknown)) return { corrupt: 'it holds no event log' };
    const { entryCount: count } = tables.log.getStats() as { entryCount: number };
    const corrupt = findProblem(tables, count);
    if (corrupt !== undefined) return { corrupt };
    return { events: count };
  } catch (error) {
    const { message, code } = error as { message: string; code?: unknown };
    // The engine's own codes are below -30000, and five of them mean that something is full; the system's are positive.
    const isFinding = typeof code !== 'number' || (code < -30_000 && (code < -30_792 || code > -30_788));
    return isFinding ? { corrupt: `it cannot be read (${message})` } : { failed: message };
  }
}
