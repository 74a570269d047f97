import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../../test/support/eventually';
import { MAX_UNSENT_BYTES } from './unread-responses';
import { HttpServer } from './http-server';

const asking = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const posting = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Three bytes in UTF-8, one unit in a string. */
const MEGABYTE = 1024 * 1024;
const WIDE = '\u6f22';

describe('pipelined requests', () => {
  let server: HttpServer;
  let port = 0;
  let begun: string[] = [];
  let held: ServerResponse[] = [];
  const sockets: Socket[] = [];

  const answerOrHold = (request: IncomingMessage, response: ServerResponse): void => {
    begun.push(request.url ?? '');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('error', () => undefined);
    request.on('end', () => {
      if (request.url === '/held') held.push(response);
      else if (request.url === '/almost') response.end(Buffer.alloc(MAX_UNSENT_BYTES - MEGABYTE));
      else if (request.url === '/wide') response.end(WIDE.repeat(MAX_UNSENT_BYTES / 2));
      else response.end(request.url === '/large' ? Buffer.alloc(MAX_UNSENT_BYTES) : `<${request.url}${body}>`);
    });
  };

  beforeEach(async () => {
    begun = [];
    held = [];
    server = new HttpServer({ listener: answerOrHold }, { drainWaitMs: 20, unreadResponseMs: 50, checkIntervalMs: 50 });
    ({ port } = await server.listen('127.0.0.1', 0));
  });
  afterEach(async () => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    held.forEach((response) => response.end());
    await server.drain();
  });

  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const heardOn = (socket: Socket): (() => string) => {
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    return () => heard;
  };
  const until = (condition: () => boolean, what: string): Promise<boolean> =>
    eventually(async () => condition(), Boolean, what);
  const bodiesIn = (heard: string): readonly string[] => heard.match(/<[^>]*>/g) ?? [];

  it('are begun one after another, and answered in order', async () => {
    const socket = await dial();
    const heard = heardOn(socket);
    socket.write(asking('/held') + asking('/second') + asking('/third'));
    await until(() => held.length === 1, 'the first in work');
    expect(begun).toEqual(['/held']);
    held.shift()?.end('<first>');
    await until(() => bodiesIn(heard()).length === 3, 'three answers');
    expect(bodiesIn(heard())).toEqual(['<first>', '</second>', '</third>']);
  });

  it('are all answered, however many there are, with bodies among them', async () => {
    const socket = await dial();
    const heard = heardOn(socket);
    const paths = Array.from({ length: 3_000 }, (_, index) => `/${index}`);
    const wanted = paths.map((path, index) => (index % 10 === 9 ? `<${path}${'x'.repeat(500)}>` : `<${path}>`));
    socket.write(
      paths.map((path, index) => (index % 10 === 9 ? posting(path, 'x'.repeat(500)) : asking(path))).join(''),
    );
    await until(() => bodiesIn(heard()).length === paths.length, 'all answers');
    expect(bodiesIn(heard())).toEqual(wanted);
    expect(server.connections.waiting).toBe(0);
  });

  it('are not started while an earlier response is unread, and are dropped with their connection', async () => {
    const socket = await dial();
    socket.pause();
    socket.write(asking('/large').repeat(50));
    await until(() => begun.length === 1 && server.connections.waiting === 49, 'the others to wait');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(begun).toEqual(['/large']);
    socket.destroy();
    await until(() => server.connections.size === 0, 'the connection to end');
    expect([server.connections.waiting, server.connections.inWork, begun.length]).toEqual([0, 0, 1]);
  });

  it('are dropped with their connection while the first is still in flight', async () => {
    const socket = await dial();
    socket.write(asking('/held') + asking('/second').repeat(5));
    await until(() => held.length === 1 && server.connections.waiting === 5, 'the others to wait');
    socket.destroy();
    await until(() => server.connections.size === 0, 'the connection to end');
    held.shift()?.end('too late');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([server.connections.waiting, server.connections.inWork, begun]).toEqual([0, 0, ['/held']]);
  });

  it.each([
    ['an answer that ends the connection', asking('/held').replace('Host', 'Connection: close\r\nHost')],
    ['one that is not HTTP', `${asking('/held')}nonsense\r\n\r\n`],
  ])('are not started behind %s, and the one before is answered first', async (_, sent) => {
    const socket = await dial();
    const heard = heardOn(socket);
    socket.write(sent + asking('/second'));
    await until(() => held.length === 1, 'the first in work');
    const closed = once(socket, 'close');
    held.shift()?.end('<first>');
    await closed;
    expect(heard()).toMatch(/^HTTP\/1\.1 200 [^]*<first>/);
    expect([begun, server.connections.inWork]).toEqual([['/held'], 0]);
  });

  it('exceed the limit of unread responses only briefly: then connections that read nothing are closed', async () => {
    const reader = await dial();
    const heard = heardOn(reader);
    for (let one = 0; one < 4; one += 1) (await dial()).on('error', () => undefined).write(asking('/large'));
    await until(() => server.connections.inWork === 4, 'four large answers');
    expect(server.connections.unread.bytes()).toBeGreaterThan(MAX_UNSENT_BYTES);
    expect(server.connections.unread.areTooMany).toBe(true);
    reader.write(asking('/small'));
    await until(() => bodiesIn(heard()).length === 1, 'one who reads to be answered');
    await until(() => !server.connections.unread.areTooMany, 'room again');
    expect([server.connections.size, server.connections.unread.bytes()]).toEqual([1, 0]);
  });

  it('that stay just below that limit are closed as well when somebody else finds no room', async () => {
    (await dial()).on('error', () => undefined).write(asking('/almost'));
    await until(() => server.connections.unread.bytes() > 0, 'an answer that nobody reads');
    expect([server.connections.unread.areTooMany, server.connections.unread.leaveRoomFor(2 * MEGABYTE)]).toEqual([
      false,
      false,
    ]);
    await until(() => server.connections.unread.leaveRoomFor(2 * MEGABYTE), 'room');
    expect([server.connections.size, server.connections.unread.bytes()]).toEqual([0, 0]);
  });

  it('count as many unread bytes as their responses have, in whatever script they are written', async () => {
    (await dial()).on('error', () => undefined).write(asking('/wide'));
    await until(() => server.connections.inWork === 1, 'the answer');
    await until(() => server.connections.unread.bytes() > 0, 'what is left of it');
    expect(server.connections.unread.areTooMany).toBe(true);
  });

  it('are read only a few ahead while the first is in flight', async () => {
    const socket = await dial();
    socket.write(asking('/held'));
    await until(() => held.length === 1, 'the first in work');
    for (let round = 0; round < 200; round += 1) {
      socket.write(asking(`/${'x'.repeat(2_000)}`).repeat(20));
      await new Promise(setImmediate);
    }
    expect(server.connections.waiting).toBeLessThan(200);
    socket.resume();
    held.shift()?.end('<first>');
    await until(() => begun.length === 4_001, 'all of them');
  });

  it('cost the longest paused peer its connection when too many wait in total', async () => {
    const greedy = await Promise.all(Array.from({ length: 6 }, dial));
    for (const socket of greedy) {
      socket.on('error', () => undefined);
      socket.write(asking('/held') + asking('/').repeat(3_000));
    }
    const modest = await dial();
    await until(() => server.connections.size < 7, 'some to be ended');
    const heard = heardOn(modest);
    modest.write(asking('/a') + asking('/b'));
    await until(() => bodiesIn(heard()).length === 2, 'the modest one to be answered');
    expect(server.connections.waiting).toBeLessThanOrEqual(8_192);
  });
});
