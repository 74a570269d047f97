#!/usr/bin/env node
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const built = join(__dirname, '..', 'dist', 'node');
const program = join(built, 'node', 'cli', 'main.js');
const sources = join(__dirname, '..', 'src');

// In a checkout a call builds what is missing or older than its sources; an installed package carries it and has no sources.
if (existsSync(sources) && !isFresh()) require('../build-node.js').buildNode(built, { quick: true });
require(program);

function isFresh() {
  if (!existsSync(program)) return false;
  const since = statSync(program).mtimeMs;
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return names.every((name) => statSync(join(sources, name)).mtimeMs <= since);
}
