import { once } from 'node:events';
import { connect } from 'node:net';
import { useService } from './support/use-service';

describe('odd request lines', () => {
  const service = useService();

  async function say(line: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    socket.write(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    return heard;
  }

  it.each([
    ...['http://', 'https://', 'http:', '//', '///', 'http://x', 'http://[', 'http://x:99999/', 'http:///v1/errors'],
    ...[
      '*',
      '/%',
      '/%zz',
      '/v1/%ff',
      '/?%',
      '/\\\\',
      '/v1/errors#x',
      '/v1//errors',
      'x',
      '?',
      '/v1/errors?a[b]=1',
      '/..;/',
      '//[',
      'a:b',
      'foo://x',
      'file://?',
      'http://x/v1/errors',
    ],
  ])('are answered in the envelope: %s', async (target) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
      const heard = await say(`${method} ${target} HTTP/1.1`);
      const [head = '', body = ''] = heard.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 (200|400|404|405) /);
      expect(head).toMatch(/^x-request-id: /im);
      expect(head).toMatch(/^content-type: application\/json/im);
      if (method === 'HEAD') continue;
      const answer = JSON.parse(body) as { ok: boolean; error?: { code: string; request_id: string } };
      if (!head.startsWith('HTTP/1.1 200'))
        expect([answer.ok, typeof answer.error?.request_id]).toEqual([false, 'string']);
    }
  });
});
