#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const built = join(__dirname, '..', 'dist', 'node');
const program = join(built, 'node', 'cli', 'main.js');
const sources = join(__dirname, '..', 'src');

// In a checkout, a call builds what is missing or outdated; an installed package contains the build and no sources.
if (existsSync(sources)) {
  const { buildNode, isFresh } = require('../build-node.js');
  if (!isFresh(program, [sources])) buildNode(built, { quick: true });
}
require(program);
