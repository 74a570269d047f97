import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootId } from '../../../kernel/boot-id';
import { StoreInUse } from './errors';

/** A pid alone does not identify the holder: after a crash or a reboot, and always in a container, it may be reused. */
type Holder = Readonly<{ pid: number; started: string | null; boot: string | null; token: string }>;

/** Lets one process at a time hold a directory. A holder that was killed is recognised as gone. */
export class DirectoryLock {
  private constructor(
    private readonly path: string,
    private readonly token: string,
  ) {}

  static acquire(directory: string): DirectoryLock {
    const path = join(directory, 'lock');
    const token = randomUUID();
    const mine = `${path}.${token}`;
    const holder: Holder = { pid: process.pid, started: startOf(process.pid) ?? null, boot: bootId() ?? null, token };
    // Linked into place with its content, so that no process ever reads half a lock.
    writeFileSync(mine, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    try {
      while (!linked(mine, path)) removeIfStale(directory, path, `${mine}.stale`);
      return new DirectoryLock(path, token);
    } finally {
      rmSync(mine, { force: true });
    }
  }

  release(): void {
    if (holderOf(this.path)?.token === this.token) rmSync(this.path, { force: true });
  }
}

/** Renamed before it is removed: of two processes that find one stale lock, neither removes the other's new one. */
function removeIfStale(directory: string, path: string, aside: string): void {
  refuseIfAlive(directory, holderOf(path));
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    refuseIfAlive(directory, holderOf(aside));
  } catch (error) {
    linked(aside, path);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function refuseIfAlive(directory: string, holder: Holder | undefined): void {
  if (holder && isAlive(holder)) throw new StoreInUse(directory, holder.pid);
}

function isAlive(holder: Holder): boolean {
  const boot = bootId();
  if (boot && holder.boot && boot !== holder.boot) return false;
  const started = startOf(holder.pid);
  if (started !== undefined && holder.started !== null) return started === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function holderOf(path: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const isHolder = typeof holder === 'object' && holder !== null && 'pid' in holder && 'token' in holder;
    return isHolder ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** When the process started, in kernel ticks; 'ended' for a zombie; undefined if /proc has no entry for it. */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in brackets may hold anything; the fields are counted from its last bracket.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === 'Z' || state === 'X' ? 'ended' : fields[18];
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
