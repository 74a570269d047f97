import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;

const MANIFEST = {
  name: 'Wallet',
  short_name: 'Wallet',
  description: 'See, decide and sign what agents ask you to pay.',
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: '#f5f6f8',
  theme_color: '#1f4bd8',
  icons: [{ src: './icon.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' }],
};

/** The wallet's page, everything it imports now or later, and the styles of all that. */
function filesOf(bundle) {
  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const entry = chunks.find(({ facadeModuleId }) => facadeModuleId === join(here, 'wallet/index.html'));
  if (entry === undefined) throw new Error('the wallet has no entry');
  const names = new Set();
  const visit = (name) => {
    if (names.has(name)) return;
    names.add(name);
    const { imports = [], dynamicImports = [], viteMetadata } = bundle[name] ?? {};
    for (const style of viteMetadata?.importedCss ?? []) names.add(style);
    for (const asset of viteMetadata?.importedAssets ?? []) names.add(asset);
    [...imports, ...dynamicImports].forEach(visit);
  };
  visit(entry.fileName);
  // Workers are separate bundles.
  for (const name of Object.keys(bundle)) if (/\.worker-[^/]*\.js$/.test(name)) names.add(name);
  return [...names].sort();
}

/** What makes the wallet installable: its manifest, and the worker that keeps its shell, each beside its page. */
export const walletShell = {
  name: 'wallet-shell',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const files = filesOf(bundle).map((name) => `../${name}`);
      const version = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16);
      const worker = readFileSync(join(here, 'wallet/sw.js'), 'utf8');
      const source = worker
        .replace("'%VERSION%'", () => JSON.stringify(version))
        .replace("['%FILES%']", () => JSON.stringify(files));
      this.emitFile({ type: 'asset', fileName: 'wallet/sw.js', source });
      this.emitFile({ type: 'asset', fileName: 'wallet/manifest.webmanifest', source: JSON.stringify(MANIFEST) });
      const icon = readFileSync(join(here, 'ui/icon.svg'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'wallet/icon.svg', source: icon });
    },
  },
};
