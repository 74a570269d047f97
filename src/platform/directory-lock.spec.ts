import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../test/support/temp-directory';
import { DirectoryLock, StoreInUse } from './directory-lock';

const REGISTER = join(__dirname, '../../test/support/register-swc.js');
const LOCK = JSON.stringify(join(__dirname, 'directory-lock.ts'));

describe('the lock of a directory', () => {
  const newDirectory = temporaryDirectories();
  const children: ChildProcess[] = [];
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

  const run = (script: string, ...words: readonly string[]): ChildProcess => {
    const program = [
      '-r',
      REGISTER,
      '-e',
      `const { DirectoryLock, StoreInUse } = require(${LOCK});${script}`,
      ...words,
    ];
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  /** Another process that holds it. */
  const holdIn = async (directory: string): Promise<ChildProcess> => {
    const child = run(
      `DirectoryLock.acquire(process.argv[1]).then(() => console.log('held')); setInterval(() => undefined, 1000);`,
      directory,
    );
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  it('is held by one at a time, says so in one line, and leaves nothing behind', async () => {
    const directory = newDirectory();
    const first = await DirectoryLock.acquire(directory);
    expect(readdirSync(directory)).toEqual(['lock']);
    const refused = await DirectoryLock.acquire(directory).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreInUse);
    expect((refused as Error).message).toBe(
      `${directory}: in use by another process; stop it first, only one process may write to it`,
    );
    first.release();
    const second = await DirectoryLock.acquire(directory);
    first.release();
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused while its holder is alive, paused or not, and acquired once the holder was killed', async () => {
    const directory = newDirectory();
    const holder = await holdIn(directory);
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
    holder.kill('SIGSTOP');
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
    await kill(holder);
    (await DirectoryLock.acquire(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(['', '{"pid":1}'])('is taken over from a file that is no socket: %j', async (content) => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'lock'), content);
    (await DirectoryLock.acquire(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is acquired by one of many at once, with and without a dead one in its place', async () => {
    for (const isDeadThere of [false, true]) {
      const directory = newDirectory();
      if (isDeadThere) await kill(await holdIn(directory));
      const all = await Promise.allSettled(Array.from({ length: 30 }, () => DirectoryLock.acquire(directory)));
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const others = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(others.every((reason) => reason instanceof StoreInUse)).toBe(true);
      // All may give way to each other, but two never hold it.
      expect(held.length).toBeLessThanOrEqual(1);
      held[0]?.release();
      (await DirectoryLock.acquire(directory)).release();
    }
  }, 60_000);

  it('is never held by two of several processes that take it in turns, some of which are killed with it', async () => {
    const directory = newDirectory();
    const marks = join(newDirectory(), 'marks');
    writeFileSync(marks, '');
    // Each holder appends its number twice; a second holder in between would stand between the two.
    const script = `const { appendFileSync } = require('node:fs');
      const [directory, marks, number] = process.argv.slice(1);
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      (async () => {
        for (let held = 0; held < 15; ) {
          const lock = await DirectoryLock.acquire(directory).catch((error) => {
            if (!(error instanceof StoreInUse)) { appendFileSync(marks, 'failed: ' + error.message + '\\n'); process.exit(1); }
          });
          if (lock === undefined) { await pause(Math.random() * 4); continue; }
          held += 1;
          appendFileSync(marks, number + ' in\\n');
          await pause(Math.random() * 3);
          if (number >= 4 && held === 5) process.kill(process.pid, 'SIGKILL');
          appendFileSync(marks, number + ' out\\n');
          lock.release();
        }
        process.exit(0);
      })();`;
    const racers = Array.from({ length: 7 }, (_, number) => run(script, directory, marks, String(number)));
    await Promise.all(racers.map((racer) => once(racer, 'exit')));
    const lines = readFileSync(marks, 'utf8').trim().split('\n');
    const killed = new Set<string>();
    for (let at = 0; at < lines.length; at += 2) {
      const [number = '', what] = lines[at]?.split(' ') ?? [];
      expect([at, what]).toEqual([at, 'in']);
      if (lines[at + 1] === `${number} out`) continue;
      // It was killed while it held it.
      expect([at, Number(number) >= 4, killed.has(number)]).toEqual([at, true, false]);
      killed.add(number);
      at -= 1;
    }
    expect(killed.size).toBe(3);
    expect(lines.filter((line) => line.endsWith('in'))).toHaveLength(4 * 15 + 3 * 5);
  }, 60_000);

  it.each(['is killed over it', 'finds another in its place'])(
    'stays with its holder, though one that came late moves it aside and %s',
    async (mishap) => {
      const directory = newDirectory();
      const path = join(directory, 'lock');
      const dead = await holdIn(directory);
      await kill(dead);
      const { renameSync } = fs;
      const taken = await DirectoryLock.acquire(newDirectory());
      const holding = holdAt(path, taken);
      // It found the dead one; before it moves that, another has taken the lock over.
      const moving = jest.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
        holding();
        renameSync(from, to);
        if (mishap === 'is killed over it') throw new Error('killed');
        appendFileSync(path, 'a third');
      });
      await expect(DirectoryLock.acquire(directory)).rejects.toThrow();
      moving.mockRestore();
      // The third finds out, and leaves.
      rmSync(path, { force: true });
      await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
      await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
      taken.release();
      (await DirectoryLock.acquire(directory)).release();
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('has no limit on the length of the path', async () => {
    const directory = join(newDirectory(), 'x'.repeat(110), 'y'.repeat(110));
    mkdirSync(directory, { recursive: true });
    const lock = await DirectoryLock.acquire(directory);
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow(StoreInUse);
    expect(readdirSync(directory)).toEqual(['lock']);
    lock.release();
    (await DirectoryLock.acquire(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('names the directory in which no socket can be made', async () => {
    await expect(DirectoryLock.acquire('/proc')).rejects.toThrow(/^\/proc: cannot be locked: /);
  });
});

/** Puts the live socket of a lock that is held elsewhere into this place, as its holder would have done. */
function holdAt(path: string, lock: DirectoryLock): () => void {
  const { path: from } = lock as unknown as Readonly<{ path: string }>;
  return () => {
    rmSync(path, { force: true });
    fs.linkSync(from, path);
  };
}
