import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from './support/doc-blocks';
import { runScript, scriptOf } from './support/bash';

const root = join(__dirname, '..');
const USE = `const { AgentClient } = require('@svc/client'); console.log(typeof new AgentClient({ baseUrl: 'https://svc.example' }).connect)`;

describe('the client library, installed as its README describes', () => {
  // With a space, as a user's folder may have one.
  const work = mkdtempSync(join(tmpdir(), 'svc test-'));
  afterAll(() => rmSync(work, { recursive: true, force: true }));
  /** What the first way has built, which takes longer than all else. */
  let dist: string | undefined;

  /** A copy of the checkout, because building writes into it, with another project next to it. */
  function neighbours(): string {
    const place = mkdtempSync(join(work, 'checkout-'));
    for (const name of ['sdk', 'src/audit/proofs', 'tsconfig.json', 'package.json']) {
      cpSync(join(root, name), join(place, 'svc', name), {
        recursive: true,
        filter: (from) => !from.startsWith(join(root, 'sdk/dist')),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(place, 'svc/node_modules'));
    if (dist !== undefined) {
      const copy = `require('node:fs').cpSync(${JSON.stringify(dist)}, 'dist', { recursive: true });\n`;
      writeFileSync(join(place, 'svc/sdk/build.js'), copy);
    }
    mkdirSync(join(place, 'project'));
    writeFileSync(join(place, 'project/package.json'), '{"name":"project","private":true}\n');
    return join(place, 'project');
  }

  it.each(['packed', 'linked'])(
    'works as %s',
    async (kind) => {
      const blocks = blocksOf('sdk/README.md').filter((block) => block.language === 'sh' && block.kind === kind);
      expect(blocks).toHaveLength(1);
      const project = neighbours();
      const script = `cd '${project}'\n${scriptOf(blocks)}\nnode -e "${USE}"`;
      // Uses cached packages; the others come from a registry, which may have a certificate of this network's own.
      const ca = process.env['NODE_EXTRA_CA_CERTS'];
      const npm = {
        npm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        ...(ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: ca }),
      };
      expect(await runScript(script, npm)).toMatch(/\nfunction\n/);
      const built = join(project, '../svc/sdk/dist');
      expect(existsSync(join(built, 'cjs/index.js'))).toBe(true);
      dist ??= built;
    },
    300_000,
  );
});
