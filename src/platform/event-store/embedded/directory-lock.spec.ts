import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  it('is held by one process at a time, and can be acquired again after its release', () => {
    const directory = newDirectory();
    const first = DirectoryLock.acquire(directory);
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    expect(() => DirectoryLock.acquire(directory)).toThrow(
      `${directory}: in use by process ${process.pid}; stop it first, only one process may write to it`,
    );
    first.release();
    const second = DirectoryLock.acquire(directory);
    first.release();
    expect(() => DirectoryLock.acquire(directory)).toThrow(StoreInUse);
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused while its holder is alive', () => {
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

  it('is not released by a process that lost it', () => {
    const directory = newDirectory();
    const lock = DirectoryLock.acquire(directory);
    heldByOther(directory);
    lock.release();
    expect(readdirSync(directory)).toEqual(['lock']);
  });
});

describe('the lock of a directory that containers share', () => {
  const newDirectory = temporaryDirectories();
  const acquire = (directory: string, namespace: string): Promise<DirectoryLock> =>
    DirectoryLock.acquireForLife(directory, namespace);

  /** Another process, which takes itself for one of that namespace. */
  const holdIn = async (directory: string, namespace: string) => {
    const script = `require(${JSON.stringify(join(__dirname, 'directory-lock.ts'))})
      .DirectoryLock.acquireForLife(${JSON.stringify(directory)}, ${JSON.stringify(namespace)})
      .then(() => console.log('held'));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['-r', registerSwc, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  };
  /** As a process of another container sees it: the pid is not one of its own. */
  const withoutPid = (directory: string): void => {
    const path = join(directory, 'lock');
    const pid = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), pid }));
  };

  it('is refused while its holder is alive, paused or not, and acquired once the holder was killed', async () => {
    const directory = newDirectory();
    const holder = await holdIn(directory, 'pid:[1]');
    withoutPid(directory);
    await expect(acquire(directory, 'pid:[2]')).rejects.toThrow(StoreInUse);
    holder.kill('SIGSTOP');
    await expect(acquire(directory, 'pid:[2]')).rejects.toThrow(/of another pid namespace; [^;]+$/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = await acquire(directory, 'pid:[2]');
    expect(readdirSync(directory)).toHaveLength(2);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused to a container while a process outside holds it, whose pid means nothing there', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory, 'pid:[4026531836]');
    expect(readdirSync(directory)).toEqual(['lock']);
    withoutPid(directory);
    await expect(acquire(directory, 'pid:[2]')).rejects.toThrow(`if that is gone, remove ${join(directory, 'lock')}`);
    expect(readdirSync(directory)).toEqual(['lock']);
    lock.release();
    (await acquire(directory, 'pid:[2]')).release();
  });

  it.each(['is killed over it', 'finds another in its place'])(
    'stays with its holder, though one that came late moves it aside and %s',
    async (mishap) => {
      const directory = newDirectory();
      const path = join(directory, 'lock');
      writeFileSync(path, JSON.stringify({ pid: 1, started: '1', boot: null, token: 'dead' }));
      let holder: DirectoryLock | undefined;
      const { renameSync } = fs;
      // It found the dead one's lock; before it moves that, another has taken the lock over.
      const moving = jest.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
        rmSync(path);
        holder = DirectoryLock.acquire(directory);
        renameSync(from, to);
        if (mishap === 'is killed over it') throw new Error('killed');
        heldByOther(directory);
      });
      await expect(acquire(directory, 'pid:[2]')).rejects.toThrow();
      moving.mockRestore();
      // The other finds out, and leaves.
      rmSync(path, { force: true });
      await expect(acquire(directory, 'pid:[2]')).rejects.toThrow(StoreInUse);
      await expect(acquire(directory, 'pid:[2]')).rejects.toThrow(StoreInUse);
      holder?.release();
      (await acquire(directory, 'pid:[2]')).release();
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('does without a socket where none can be created', async () => {
    const directory = join(newDirectory(), 'x'.repeat(110));
    mkdirSync(directory);
    const lock = await acquire(directory, 'pid:[1]');
    await expect(acquire(directory, 'pid:[1]')).rejects.toThrow(StoreInUse);
    expect(readdirSync(directory)).toEqual(['lock']);
    lock.release();
  });
});

const registerSwc = join(__dirname, '../../../../test/support/register-swc.js');

const heldByOther = (directory: string): void =>
  writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: 1, started: null, boot: null, token: 'another' }));

function startOf(pid: number | undefined): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
