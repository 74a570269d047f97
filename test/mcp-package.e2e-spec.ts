import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { blocksOf } from './support/doc-blocks';
import { runScript } from './support/bash';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');

describe('svc-mcp, packed as its README describes', () => {
  const directory = temporaryDirectories();

  /** A checkout of svc that has not been built yet, with another project's folder next to it. */
  function neighbours(): string {
    const place = directory();
    for (const name of ['mcp', 'sdk/src', 'sdk/build-node.js', 'tsconfig.json', 'package.json']) {
      cpSync(join(root, name), join(place, 'svc', name), {
        recursive: true,
        filter: (from) => !from.startsWith(join(root, 'mcp/dist')),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(place, 'svc/node_modules'));
    mkdirSync(join(place, 'project'));
    return join(place, 'project');
  }

  /** Installs like npm, but links this checkout's packages, and only those that the package names. */
  function unpack(project: string, file: string): string {
    const installed = join(project, 'node_modules/@svc/mcp');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(project, file), '-C', installed, '--strip-components', '1']);
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      const link = join(project, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), link);
    }
    return join(installed, 'bin/svc-mcp.js');
  }

  it('contains its program and names the packages that it needs', async () => {
    const [block] = blocksOf('mcp/README.md').filter(({ language, kind }) => language === 'sh' && kind === 'packed');
    const [, pack, file] = /^(npm pack \S+)\nnpm install --global \.\/(\S+)$/.exec(block?.code ?? '') ?? [];
    expect([pack, file]).toEqual(['npm pack ../svc/mcp', 'svc-mcp-0.1.0.tgz']);
    const project = neighbours();
    await runScript(`cd '${project}'\n${pack}`, {});

    const env = { PATH: process.env['PATH'] ?? '', SVC_CREDENTIALS: join(project, 'none.json') };
    const program = unpack(project, file as string);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env }));
    expect((await client.listTools()).tools).toHaveLength(11);
    await client.close();
  }, 120_000);

  it('is rebuilt in a checkout whose sources have changed', async () => {
    const checkout = join(neighbours(), '../svc/mcp');
    const says = async (): Promise<string> => {
      const { stderr } = await promisify(execFile)(process.execPath, [join(checkout, 'bin/svc-mcp.js'), 'dance']).catch(
        (error: unknown) => error as { stderr: string },
      );
      return stderr;
    };
    expect(await says()).not.toContain('CHANGED');
    const source = join(checkout, 'src/main.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace(/svc-mcp init/, 'CHANGED $&'));
    expect(await says()).toContain('CHANGED');
  }, 120_000);
});
