// Builds the server together with the client library it depends on: `node build.js`. Prints only to standard error,
// because standard output belongs to the protocol.
const { execFileSync } = require('node:child_process');
const { rmSync } = require('node:fs');
const { join } = require('node:path');

const out = join(__dirname, 'dist');
rmSync(out, { recursive: true, force: true });
const asCommonJs = ['--module', 'commonjs', '--moduleResolution', 'node10'];
execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', __dirname, ...asCommonJs], {
  stdio: ['ignore', 2, 2],
});
