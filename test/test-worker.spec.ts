import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..');
const JEST = join(root, 'node_modules/jest/bin/jest.js');
const FOLDER = 'test/support/worker/fixtures';

/** Runs fixture files, which are not tests of the service, in one worker, like the service's tests. */
function run(kind: string): Readonly<{ code: number | null; output: string }> {
  const args = ['-c', 'jest.fast.config.js', '--runInBand', '--forceExit', '--colors=false'];
  const files = ['--roots', FOLDER, '--testRegex', `\\.${kind}\\.ts$`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [JEST, ...args, ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { code: status, output: stdout + stderr };
}

describe('test files that share a worker', () => {
  it('find nothing that another file left behind', () => {
    const { code, output } = run('fixture');
    expect(output).toContain('2 passed, 2 total');
    expect(output).toContain('6 passed, 6 total');
    expect(code).toBe(0);
  });

  it('show what was expected, where it failed in the sources, and the warnings of the service', () => {
    const { code, output } = run('failing');
    expect(output).toContain('Expected: 3\n    Received: 2');
    expect(output).toContain('expect(sum).toBe(3);');
    expect(output).toMatch(/at .*\(?test\/support\/worker\/fixtures\/fails\.failing\.ts:8:15\)?/);
    expect(output).toMatch(/at .*\(src\/kernel\/amounts\.ts:\d+:\d+\)/);
    expect(output).toContain('the service\'s last warnings:\n{"level":"warn","msg":"the disk is full"}\n');
    expect(output).not.toContain('served');
    expect(code).toBe(1);
  });
});
