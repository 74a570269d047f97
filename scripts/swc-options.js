// How TypeScript becomes JavaScript here: for the tests, for what runs from its sources, and for the build. One place, so that
// what is tested is what runs. Types are checked by `npm run check`; nothing waits for that to start.
module.exports = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
};
