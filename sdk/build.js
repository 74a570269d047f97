// Builds both module formats: `node build.js [directory]`. A package.json in each says how its files are to be loaded.
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');
const ts = require('typescript');
const { buildNode, compile } = require('./build-node.js');

const out = resolve(process.argv[2] ?? join(__dirname, 'dist'));

rmSync(out, { recursive: true, force: true });
buildNode(join(out, 'node'));
const esm = join(out, 'esm');
compile(['-p', join(__dirname, 'tsconfig.esm.json'), '--outDir', esm], 'inherit');
// The service and its auditors' program verify proofs with the same code; here it is an entry point of its own.
const as = ['--module', 'ES2022', '--moduleResolution', 'bundler'];
compile(['-p', join(__dirname, 'tsconfig.proofs.json'), '--outDir', join(esm, 'proofs'), ...as], 'inherit');
// The other format has the same types, and the same code except for how it loads its files.
const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
for (const name of readdirSync(esm, { recursive: true })) {
  if (!/\.(js|d\.ts)$/.test(name)) continue;
  const text = readFileSync(join(esm, name), 'utf8');
  const placed = join(out, 'cjs', name);
  mkdirSync(dirname(placed), { recursive: true });
  writeFileSync(placed, name.endsWith('.js') ? ts.transpileModule(text, { compilerOptions }).outputText : text);
}
for (const [form, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  writeFileSync(join(out, form, 'package.json'), `${JSON.stringify({ type })}\n`);
}

// The compiler rewrites the extensions in code but not in declarations, where only its newest releases accept them.
for (const form of ['esm', 'cjs', 'node']) {
  const directory = join(out, form);
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(directory, name), 'utf8');
    writeFileSync(join(directory, name), text.replace(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2'));
  }
}
