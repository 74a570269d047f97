import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';
import { walletShell } from './wallet-shell.mjs';

const here = import.meta.dirname;

// Whoever starts the build, a test runner for one: what is built is for people.
process.env.NODE_ENV = 'production';

/** Once here instead of at every answer. */
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
  // Relative addresses, so that the pages also work where a proxy serves them under a path of its own.
  base: './',
  logLevel: 'warn',
  plugins: [walletShell, compress],
  build: {
    outDir: join(here, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // As files, never as data: addresses, which the content policy does not name.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // React's mark for servers, which means nothing in a browser.
      onLog: (level, log, tell) => log.code === 'MODULE_LEVEL_DIRECTIVE' || tell(level, log),
      input: ['start', 'portal', 'wallet'].map((page) => join(here, page, 'index.html')),
    },
  },
});
