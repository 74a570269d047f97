// Builds both module forms: `node build.js [directory]`. A package.json in each says how its files are to be loaded.
const { execFileSync } = require('node:child_process');
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { buildNode } = require('./build-node.js');

const out = resolve(process.argv[2] ?? join(__dirname, 'dist'));
const compiler = require.resolve('typescript/bin/tsc');

rmSync(out, { recursive: true, force: true });
buildNode(join(out, 'node'));
for (const [form, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  const directory = join(out, form);
  const project = join(__dirname, `tsconfig.${form}.json`);
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', directory], { stdio: 'inherit' });
  // The service and its auditors' program check proofs by the same code; here it is an entry of its own.
  const { compilerOptions } = JSON.parse(readFileSync(project, 'utf8'));
  const proofs = ['-p', join(__dirname, 'tsconfig.proofs.json'), '--outDir', join(directory, 'proofs')];
  const as = ['--module', compilerOptions.module, '--moduleResolution', compilerOptions.moduleResolution];
  execFileSync(process.execPath, [compiler, ...proofs, ...as], { stdio: 'inherit' });
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ type })}\n`);
}

// The compiler rewrites the endings in code but leaves them in declarations, where only its newest releases take them.
for (const form of ['esm', 'cjs', 'node']) {
  const directory = join(out, form);
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(directory, name), 'utf8');
    writeFileSync(join(directory, name), text.replace(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2'));
  }
}
