// Builds the server together with the client library it depends on: `node build.js`.
const { join } = require('node:path');
const { buildProgram, QUICK } = require('../sdk/build-node.js');

const AS_COMMON_JS = ['--module', 'commonjs', '--moduleResolution', 'bundler'];

function build({ quick = false } = {}) {
  const options = [...AS_COMMON_JS, ...(quick ? QUICK : [])];
  buildProgram(join(__dirname, 'tsconfig.json'), join(__dirname, 'dist'), options);
}

if (require.main === module) build();

module.exports = { build };
