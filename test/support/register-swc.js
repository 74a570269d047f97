// Lets plain node run the project's TypeScript, compiled as the tests compile it:
//   node -r ./test/support/register-swc.js some-program.ts
const { readFileSync } = module.require('node:fs');
const { transformSync } = module.require('@swc/core');
const { transform } = module.require('../../jest.config.js');

const [[, [, options]]] = Object.entries(transform);

module.require('reflect-metadata');
process.setSourceMapsEnabled(true);
module.constructor._extensions['.ts'] = (loaded, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename, swcrc: false });
  loaded._compile(code, filename);
};
