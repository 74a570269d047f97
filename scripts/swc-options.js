// How TypeScript becomes JavaScript here: for the tests, for running from source, and for the build. In one place, so
// that what is tested is what runs. `npm run check` checks the types; nothing waits for that to start.
module.exports = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
};
