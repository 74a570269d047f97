#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'mcp', 'src', 'main.js');
const sources = join(__dirname, '..', 'src');

// In a checkout, a call builds what is missing or outdated; an installed package contains the build and no sources.
if (existsSync(sources)) {
  const { isFresh } = require('../../sdk/build-node.js');
  const library = join(__dirname, '..', '..', 'sdk', 'src');
  if (!isFresh(program, [sources, library])) require('../build.js').build({ quick: true });
}
require(program);
