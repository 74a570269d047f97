import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { DirectoryLock } from './directory-lock';
import { StoreInUse } from './errors';

describe('the lock of a directory', () => {
  const newDirectory = temporaryDirectories();
  const heldBy = (directory: string, change: object): void => {
    const path = join(directory, 'lock');
    const lock = DirectoryLock.acquire(directory);
    const holder = JSON.parse(readFileSync(path, 'utf8')) as object;
    lock.release();
    writeFileSync(path, JSON.stringify({ ...holder, ...change }));
  };

  it('is had by one at a time, and again after its release', () => {
    const directory = newDirectory();
    const first = DirectoryLock.acquire(directory);
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    expect(() => DirectoryLock.acquire(directory)).toThrow(
      `${directory}: in use by process ${process.pid}; stop it first, only one process may open the event store`,
    );
    first.release();
    const second = DirectoryLock.acquire(directory);
    first.release();
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused while another process lives that has it', () => {
    const directory = newDirectory();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    heldBy(directory, { pid: other.pid, started: startOf(other.pid) });
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    other.kill('SIGKILL');
  });

  it.each([
    ['a process that is gone', () => ({ pid: spawnSync(process.execPath, ['-e', '']).pid })],
    ['this process’s number in an earlier life', () => ({ started: '1' })],
    ['another process’s number in an earlier life', () => ({ pid: process.ppid, started: '1' })],
    ['a process before the machine was started anew', () => ({ boot: '00000000-0000-0000-0000-000000000000' })],
  ])('is taken over from %s', (_, holder) => {
    const directory = newDirectory();
    heldBy(directory, holder());
    const lock = DirectoryLock.acquire(directory);
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(['', '{', 'null', '[]'])('is taken over when it says nothing: %j', (content) => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'lock'), content);
    DirectoryLock.acquire(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is not released by one that lost it', () => {
    const directory = newDirectory();
    const lock = DirectoryLock.acquire(directory);
    heldByOther(directory);
    lock.release();
    expect(readdirSync(directory)).toEqual(['lock']);
  });
});

const heldByOther = (directory: string): void =>
  writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: 1, started: null, boot: null, token: 'another' }));

function startOf(pid: number | undefined): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
