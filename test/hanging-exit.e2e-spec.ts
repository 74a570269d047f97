import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');

describe('a process that fails in the middle of a write to LMDB', () => {
  const directory = temporaryDirectories();
  /** JavaScript inside a write, which the writing thread waits for. */
  const fail = (failure: string) => {
    const program = `
      const { open } = require(${JSON.stringify(join(root, 'node_modules/lmdb'))});
      require(${JSON.stringify(join(root, 'dist/src/app/kill-if-exit-hangs.js'))}).killIfExitHangs();
      const table = open({ path: ${JSON.stringify(directory())}, overlappingSync: false, eventTurnBatching: false });
      table.transaction(() => { table.put('key', 'value'); ${failure} });`;
    return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 30_000 });
  };

  it('ends all the same', () => {
    expect(fail('process.exit(1);')).toMatchObject({ signal: 'SIGKILL' });
  });

  it('also with code 0, as a start does that a signal ended before its stores were closed', () => {
    expect(fail('process.exit(0);')).toMatchObject({ signal: 'SIGKILL' });
  });

  it('and says why it failed', () => {
    const { status, signal, stderr } = fail(
      "queueMicrotask(() => { throw new Error('the cause'); }); process.exitCode = 1;",
    );
    expect([status === 1 || signal === 'SIGKILL', stderr]).toEqual([true, expect.stringContaining('the cause')]);
  });
});
