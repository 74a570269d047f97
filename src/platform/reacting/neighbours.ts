import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type Server } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { bootId } from '../../kernel/boot-id';
import { lifeOf, openLifeSocket } from '../../kernel/life-socket';

/** Which of the service's processes on this machine are alive. */
export interface Neighbours {
  /** Registers this process under the name for its whole lifetime. */
  join(name: string): Promise<void>;
  /** True only if that is certain. A process that is merely paused is alive. */
  hasDied(name: string): Promise<boolean>;
  leave(): Promise<void>;
}

export const noNeighbours: Neighbours = {
  join: () => Promise.resolve(),
  hasDied: () => Promise.resolve(false),
  leave: () => Promise.resolve(),
};

const FOLDER = 'instances';
const STALE_SOCKET_AFTER_MS = 24 * 60 * 60_000;

/**
 * Each process listens on a socket in the data directory, named after it. Machines may share a directory, and the
 * sockets of the others refuse connections too: so the name also identifies the machine and its boot, and nothing is
 * concluded from the sockets of others.
 */
export class SocketNeighbours implements Neighbours {
  private readonly folder: string;
  private readonly died = new Set<string>();
  private server: Server | undefined;

  constructor(
    dataDir: string,
    private readonly kernel = kernelName(),
  ) {
    this.folder = resolve(dataDir, FOLDER);
  }

  /** Without a socket, the others take over after the lease timeout: a failure to create one is no reason to stop. */
  async join(name: string): Promise<void> {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      await this.sweep();
      this.server = await openLifeSocket(join(this.folder, this.fileOf(name)));
    } catch {
      this.server = undefined;
    }
  }

  async hasDied(name: string): Promise<boolean> {
    if (this.died.has(name)) return true;
    return this.server !== undefined && this.refuses(this.fileOf(name));
  }

  async leave(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise((closed) => server.close(closed));
  }

  /** Records the dead processes and removes their sockets. */
  private async sweep(): Promise<void> {
    for (const file of readdirSync(this.folder)) {
      const [name = '', kernel] = file.split('.');
      // Another process that starts now may have removed it.
      const stats = statSync(join(this.folder, file), { throwIfNoEntry: false });
      const isForgotten = stats !== undefined && stats.mtimeMs < Date.now() - STALE_SOCKET_AFTER_MS;
      const isDead = kernel === this.kernel && (await this.refuses(file));
      if (isDead) this.died.add(name);
      if (isDead || (isForgotten && kernel !== this.kernel)) rmSync(join(this.folder, file), { force: true });
    }
  }

  private async refuses(file: string): Promise<boolean> {
    return (await lifeOf(join(this.folder, file))) === 'dead';
  }

  private fileOf(name: string): string {
    return `${name}.${this.kernel}`;
  }
}

/** Without a boot id, the host name has to do. */
const kernelName = (): string =>
  createHash('sha256')
    .update(bootId() ?? hostname())
    .digest('hex')
    .slice(0, 8);
