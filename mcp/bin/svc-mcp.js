#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'mcp', 'src', 'main.js');
// In a checkout the first call builds it; an installed package carries it.
if (!existsSync(program)) require('../build.js');
require(program);
