import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { type Server } from 'node:net';
import { join } from 'node:path';
import { lifeOf, openLifeSocket } from '../kernel/life-socket';

/** Two processes that write to one store would each rely on their own view of its contents. */
export class StoreInUse extends Error {
  constructor(directory: string) {
    super(`${directory}: in use by another process; stop it first, only one process may write to it`);
    this.name = 'StoreInUse';
  }
}

const LOCK = 'lock';
const MOVED = /^lock\..+\.moved$/;

/**
 * Lets one process at a time hold a directory, also among containers. The lock is a socket that its holder listens on:
 * the system closes it however the process ends, and a socket that refuses connections is nobody's. A process that is
 * merely paused holds it.
 */
export class DirectoryLock {
  private constructor(
    private readonly path: string,
    private readonly inode: number,
    private readonly server: Server,
  ) {}

  /** Rejects with StoreInUse. */
  static async acquire(directory: string): Promise<DirectoryLock> {
    const path = join(directory, LOCK);
    const own = `${path}.${randomBytes(8).toString('hex')}`;
    const server = await openLifeSocket(own).catch((error: Error) => {
      throw new Error(`${directory}: cannot be locked: ${error.message}`, { cause: error });
    });
    const lock = new DirectoryLock(path, lstatSync(own).ino, server);
    try {
      // Listens before it has its name: nobody takes it for dead.
      while (!linked(own, path)) await moveIfDead(directory, path, `${own}.moved`);
      await giveWayToMoved(directory);
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    } finally {
      rmSync(own, { force: true });
    }
  }

  release(): void {
    if (lstatSync(this.path, { throwIfNoEntry: false })?.ino === this.inode) rmSync(this.path, { force: true });
    this.server.close();
  }
}

/** Moved before it is removed, and asked again there: another may have taken the place of the dead one meanwhile. */
async function moveIfDead(directory: string, path: string, moved: string): Promise<void> {
  if (await isHeld(path)) throw new StoreInUse(directory);
  if (!unlessGone(() => renameSync(path, moved))) return;
  if (!(await isHeld(moved))) return rmSync(moved, { force: true });
  // If a third has taken its place by now, it stays where it is: the third finds it there and gives way.
  if (linked(moved, path)) rmSync(moved, { force: true });
  throw new StoreInUse(directory);
}

async function giveWayToMoved(directory: string): Promise<void> {
  for (const name of readdirSync(directory).filter((one) => MOVED.test(one))) {
    if (await isHeld(join(directory, name))) throw new StoreInUse(directory);
    rmSync(join(directory, name), { force: true });
  }
}

/** Anything but a refused connection is taken for a holder, unless there is nothing any more. */
async function isHeld(path: string): Promise<boolean> {
  const life = await lifeOf(path);
  return life !== 'dead' && life !== 'gone';
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function unlessGone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
