import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from './support/doc-blocks';
import { runScript, scriptOf } from './support/bash';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');
const USE = `const { AgentClient } = require('@svc/client'); console.log(typeof new AgentClient({ baseUrl: 'https://svc.example' }).connect)`;

describe('the client library, installed as its README describes', () => {
  const directory = temporaryDirectories();

  /** A copy of the checkout, because building writes into it, with another project next to it. */
  function neighbours(): string {
    const place = directory();
    for (const name of ['sdk', 'src/audit/proofs', 'tsconfig.json', 'package.json']) {
      cpSync(join(root, name), join(place, 'svc', name), {
        recursive: true,
        filter: (from) => !from.startsWith(join(root, 'sdk/dist')),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(place, 'svc/node_modules'));
    mkdirSync(join(place, 'project'));
    writeFileSync(join(place, 'project/package.json'), '{"name":"project","private":true}\n');
    return join(place, 'project');
  }

  it.each(['packed', 'linked'])(
    'works as %s',
    async (kind) => {
      const blocks = blocksOf('sdk/README.md').filter((block) => block.language === 'sh' && block.kind === kind);
      expect(blocks).toHaveLength(1);
      const script = `cd '${neighbours()}'\n${scriptOf(blocks)}\nnode -e "${USE}"`;
      // Uses cached packages.
      const quiet = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
      expect(await runScript(script, quiet)).toMatch(/\nfunction\n$/);
    },
    300_000,
  );
});
