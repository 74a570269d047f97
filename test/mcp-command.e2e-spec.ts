import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import nacl from 'tweetnacl';
import { temporaryDirectories } from './support/temp-directory';

// Bounds a hang: in a checkout the first call builds the program, possibly on a busy machine.
jest.setTimeout(240_000);

const PROGRAM = join(__dirname, '..', 'mcp', 'bin', 'svc-mcp.js');

describe('svc-mcp', () => {
  const newDirectory = temporaryDirectories();
  const envOf = (file: string) => ({ PATH: process.env['PATH'] ?? '', SVC_CREDENTIALS: file });

  /** Runs it to completion with these lines as input. */
  async function run(args: readonly string[], env: Record<string, string>, lines: readonly string[] = []) {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
    const [code] = (await once(child, 'close')) as [number];
    return { out, err, code };
  }

  it('speaks over standard input and output', async () => {
    const env = envOf(join(newDirectory(), 'none.json'));
    const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM], env });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(11);
    const { content, isError } = await client.callTool({ name: 'connection_status', arguments: {} });
    expect(isError).toBe(true);
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toMatchObject({ code: 'not_configured' });
    await client.close();
  });

  it('serves HTTP on loopback, and refuses foreign pages', async () => {
    const child = spawn(process.execPath, [PROGRAM, '--http', '0'], { env: envOf(join(newDirectory(), 'none.json')) });
    const [line] = (await once(child.stderr, 'data')) as [Buffer];
    const url = new URL(/http:\S+/.exec(line.toString())?.[0] ?? '');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url));
    expect((await client.listTools()).tools).toHaveLength(11);
    await client.close();
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        request(
          url,
          { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
          ({ statusCode }) => resolve(statusCode),
        ).end('{}');
      });
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf({ host: 'evil.example' })).toBe(403);
    child.kill();
    await once(child, 'close');
  });

  it('sets up an agent: it keeps the key private, and shows the public half and a signature', async () => {
    const file = join(newDirectory(), 'svc', 'credentials.json');
    const challenge = 'svc-credential-proof:crd_1:abc';
    const { out, code } = await run(['init'], envOf(file), ['http://127.0.0.1:8787', 'key-7', 'agt_1', challenge]);
    expect(code).toBe(0);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(kept).toMatchObject({ url: 'http://127.0.0.1:8787', agent_id: 'agt_1', key_id: 'key-7' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(kept['private_key']);
    const [, publicKey = ''] = /Public key\s+(\S+)/.exec(out) ?? [];
    const [, signature = ''] = /into the portal:\s+(\S+)/.exec(out) ?? [];
    const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));
    expect(nacl.sign.detached.verify(new Uint8Array(Buffer.from(challenge)), bytes(signature), bytes(publicKey))).toBe(
      true,
    );
    for (const client of ['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code']) expect(out).toContain(client);
  });

  it('prints help when it does not understand', async () => {
    const env = envOf(join(newDirectory(), 'none.json'));
    expect(await run(['dance'], env)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/svc-mcp init/) });
    expect(await run(['--help'], env)).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/--http/) });
    // An unset shell variable is empty: the server would listen on a random port.
    for (const port of ['', ' ', '0x50', '65536']) {
      expect(await run([`--http=${port}`], env)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/port/),
      });
    }
  });
});
