import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { bootId } from '../../../kernel/boot-id';
import { lifeOf, openLifeSocket } from '../../../kernel/life-socket';
import { StoreInUse } from './errors';

/** The PID namespace outside containers; its number is part of the kernel's interface. */
const INITIAL_NAMESPACE = 'pid:[4026531836]';

/** A pid alone does not identify the holder: after a crash or a reboot, and always in a container, it may be reused. */
type Holder = Readonly<{
  pid: number;
  started: string | null;
  boot: string | null;
  token: string;
  /** The PID namespace of `pid`. Missing from short-lived locks and from locks of earlier versions. */
  namespace?: string | undefined;
  /** Whether the holder listens on a socket beside the lock. */
  listens?: boolean;
}>;
/** What a process that wants the lock knows about its holder. */
type View = Readonly<{
  here: string | undefined;
  asked?: Readonly<{ token: string; life: 'alive' | 'dead' | 'unknown' }> | undefined;
}>;

/** Lets one process at a time hold a directory. A holder that was killed is recognised as gone. */
export class DirectoryLock {
  private constructor(
    private readonly path: string,
    private readonly token: string,
    private readonly life?: Server,
  ) {}

  /** For a short piece of work, between processes that see each other's process ids. */
  static acquire(directory: string): DirectoryLock {
    const path = join(directory, 'lock');
    const token = randomUUID();
    const mine = writeHolder(path, { token });
    try {
      while (!linked(mine, path)) removeIfStale(directory, path, mine, { here: pidNamespace() });
      return new DirectoryLock(path, token);
    } finally {
      rmSync(mine, { force: true });
    }
  }

  /**
   * Held for the lifetime of the process. In a container the holder listens on a socket beside the lock, because in
   * another container its pid is unused or belongs to a different process. Without a socket, the pid has to do.
   */
  static async acquireForLife(directory: string, here = pidNamespace()): Promise<DirectoryLock> {
    const path = join(directory, 'lock');
    const token = randomUUID();
    const isContained = here !== undefined && here !== INITIAL_NAMESPACE;
    const life = isContained ? await openLifeSocket(socketOf(directory, token)).catch(() => undefined) : undefined;
    const listens = life !== undefined;
    const mine = writeHolder(path, { token, listens, namespace: isContained && !listens ? undefined : here });
    const lock = new DirectoryLock(path, token, life);
    try {
      while (!linked(mine, path))
        removeIfStale(directory, path, mine, { here, asked: await askHolder(directory, path) });
      await refuseIfMovedAside(directory, path, here);
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    } finally {
      rmSync(mine, { force: true });
    }
  }

  release(): void {
    const isMine = (file: string): boolean => holderOf(file)?.token === this.token;
    const mine = isMine(this.path) ? [this.path] : movedAside(this.path).filter(isMine);
    for (const file of mine) rmSync(file, { force: true });
    this.life?.close();
  }
}

const STALE = '.stale';

const socketOf = (directory: string, token: string): string => join(directory, `alive.${token.slice(0, 8)}`);

/** Written in full, then linked into place, so that no process ever reads a partial lock. */
function writeHolder(path: string, known: Pick<Holder, 'token' | 'namespace' | 'listens'>): string {
  const { pid } = process;
  const holder: Holder = { pid, started: startOf(pid) ?? null, boot: bootId() ?? null, ...known };
  const mine = `${path}.${known.token}`;
  writeFileSync(mine, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return mine;
}

async function askHolder(directory: string, path: string): Promise<View['asked']> {
  const holder = holderOf(path);
  if (holder?.listens !== true) return undefined;
  return { token: holder.token, life: await lifeOf(socketOf(directory, holder.token)) };
}

/** Renames the lock before removing it: two processes that find it stale cannot remove each other's new lock. */
function removeIfStale(directory: string, path: string, mine: string, view: View): void {
  refuseIfAlive(directory, holderOf(path), view);
  const aside = `${mine}${STALE}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const gone = holderOf(aside);
  try {
    refuseIfAlive(directory, gone, view);
    if (gone?.listens === true) rmSync(socketOf(directory, gone.token), { force: true });
  } catch (error) {
    // If a third process holds the lock by now, the renamed lock stays: the third finds it there and gives way.
    if (linked(aside, path)) rmSync(aside, { force: true });
    throw error;
  }
  rmSync(aside, { force: true });
}

/** A live lock mistaken for a stale one and renamed by a process that could not put it back. */
async function refuseIfMovedAside(directory: string, path: string, here: string | undefined): Promise<void> {
  for (const aside of movedAside(path)) {
    refuseIfAlive(directory, holderOf(aside), { here, asked: await askHolder(directory, aside) });
    rmSync(aside, { force: true });
  }
}

function movedAside(path: string): readonly string[] {
  const files = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
  const [start, end] = [`${basename(path)}.`, STALE];
  return files.flatMap((name) => (name.startsWith(start) && name.endsWith(end) ? [join(dirname(path), name)] : []));
}

function refuseIfAlive(directory: string, holder: Holder | undefined, view: View): void {
  if (!holder || !isAlive(holder, view)) return;
  const elsewhere = isElsewhere(holder, view);
  const isAssumed = elsewhere && view.asked?.life !== 'alive';
  throw new StoreInUse(directory, holder.pid, { isElsewhere: elsewhere, isAssumed });
}

function isAlive(holder: Holder, view: View): boolean {
  const boot = bootId();
  if (boot && holder.boot && boot !== holder.boot) return false;
  if (holder.listens === true) {
    // With another token, the holder took the lock after the probe, so it is alive.
    const life = view.asked?.token === holder.token ? view.asked.life : 'alive';
    if (life !== 'unknown') return life === 'alive';
  }
  if (isElsewhere(holder, view)) return true;
  const started = startOf(holder.pid);
  if (started !== undefined && holder.started !== null) return started === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

const isElsewhere = ({ namespace }: Holder, { here }: View): boolean =>
  here !== undefined && namespace !== undefined && here !== namespace;

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

/** Identifies the PID namespace; undefined where the kernel does not expose it. */
function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
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
