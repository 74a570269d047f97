// Runs the type check, linter and format check alongside the tests: at low priority, on the cores the tests leave free.
// The arguments are passed to jest. The output of the check comes last, where it is seen.
const { spawn } = require('node:child_process');
const { constants, setPriority } = require('node:os');
const { join } = require('node:path');
const { text } = require('node:stream/consumers');

const root = join(__dirname, '..');
const ended = (child) =>
  new Promise((resolve) => child.once('close', (code, signal) => resolve(signal === null ? code : 1)));

async function main(words) {
  const check = spawn('npm', ['run', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  setPriority(check.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = Promise.all([ended(check), text(check.stdout), text(check.stderr)]);
  const jest = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...words], {
    cwd: root,
    stdio: 'inherit',
  });
  const tested = await ended(jest);
  const [checked, out, err] = await said;
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = tested || checked;
}

void main(process.argv.slice(2));
