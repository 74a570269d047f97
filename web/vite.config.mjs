import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';
import { walletShell } from './wallet-shell.mjs';

const here = import.meta.dirname;

// Always build for production, even if a test runner starts the build.
process.env.NODE_ENV = 'production';

/** Compresses once, instead of for every response. */
const compress = {
  name: 'compress-assets',
  apply: 'build',
  writeBundle({ dir }) {
    const assets = join(dir, 'assets');
    for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
      const bytes = readFileSync(join(assets, name));
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params }));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

export default defineConfig({
  root: here,
  // Relative URLs, so that the pages also work behind a proxy that adds a path prefix.
  base: './',
  logLevel: 'warn',
  plugins: [walletShell, compress],
  build: {
    outDir: join(here, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Never inline assets as data: URLs, which the content policy does not allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Ignore 'use client' directives, which have no meaning in a browser build.
      onLog: (level, log, tell) => log.code === 'MODULE_LEVEL_DIRECTIVE' || tell(level, log),
      input: ['start', 'portal', 'wallet'].map((page) => join(here, page, 'index.html')),
    },
  },
});
