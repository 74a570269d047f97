import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { SocketNeighbours } from './neighbours';

describe('the processes on one data directory', () => {
  const newDirectory = temporaryDirectories();

  /** Another process that listens as a neighbour does. */
  const spawnNeighbour = async (dataDir: string, name: string) => {
    const file = join(__dirname, 'neighbours.ts');
    const script = `const { SocketNeighbours } = require(${JSON.stringify(file)});
      new SocketNeighbours(${JSON.stringify(dataDir)}).join(${JSON.stringify(name)}).then(() => console.log('here'));
      setInterval(() => undefined, 1000);`;
    const child = spawn(
      process.execPath,
      ['-r', join(__dirname, '../../../test/support/register-swc.js'), '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(child.stdout, 'data');
    return {
      signal: (signal: NodeJS.Signals) => child.kill(signal),
      kill: async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  };

  it('know at once that a process was killed, and that a paused one is alive', async () => {
    const directory = newDirectory();
    const here = new SocketNeighbours(directory);
    await here.join('here');
    const other = await spawnNeighbour(directory, 'other');
    expect(await here.hasDied('other')).toBe(false);
    other.signal('SIGSTOP');
    expect(await here.hasDied('other')).toBe(false);
    await other.kill();
    expect(await here.hasDied('other')).toBe(true);
    expect(await here.hasDied('nobody')).toBe(false);
    expect(await here.hasDied('here')).toBe(false);
    await here.leave();
  });

  it('let a later process find and remove the sockets of dead ones', async () => {
    const directory = newDirectory();
    const other = await spawnNeighbour(directory, 'other');
    await other.kill();
    const later = new SocketNeighbours(directory);
    await later.join('later');
    expect(await later.hasDied('other')).toBe(true);
    expect(readdirSync(join(directory, 'instances'))).toHaveLength(1);
    await later.leave();
    expect(readdirSync(join(directory, 'instances'))).toHaveLength(0);
  });

  it('can be joined although a socket vanishes before it is checked, as when two processes start at once', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'instances'));
    symlinkSync('gone', join(directory, 'instances', 'other.12345678'));
    const here = new SocketNeighbours(directory);
    await here.join('here');
    const other = await spawnNeighbour(directory, 'other');
    await other.kill();
    expect(await here.hasDied('other')).toBe(true);
    await here.leave();
  });

  it('conclude nothing about processes on another machine, or without a usable directory', async () => {
    const directory = newDirectory();
    const other = await spawnNeighbour(directory, 'other');
    await other.kill();
    const elsewhere = new SocketNeighbours(directory, 'another0');
    await elsewhere.join('elsewhere');
    expect(await elsewhere.hasDied('other')).toBe(false);
    await elsewhere.leave();

    const nowhere = new SocketNeighbours(join(directory, 'x'.repeat(200)));
    await nowhere.join('nowhere');
    expect(await nowhere.hasDied('other')).toBe(false);
    await nowhere.leave();
  });
});
