import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../../test/support/eventually';
import { pause } from '../../kernel/pause';
import { HttpServer } from './http-server';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('a caller that connects while the server stops', () => {
  let server: HttpServer;
  let port: number;

  beforeEach(async () => {
    server = new HttpServer({ listener: (_request, response) => response.end('well') }, { drainWaitMs: 20 });
    ({ port } = await server.listen('127.0.0.1', 0));
  });

  const stop = async (): Promise<void> => {
    await server.stopListening();
    await server.drain();
  };

  it('is accepted and answered, however many wait', async () => {
    const callers = Array.from({ length: 300 }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write(GET);
      return text(socket).catch((error: NodeJS.ErrnoException) => error.code);
    });
    const [answers] = await Promise.all([Promise.all(callers), stop()]);
    expect(answers.filter((answer) => !answer?.endsWith('well'))).toEqual([]);
  });

  it('is answered or not accepted, even one that opens a connection for each request', async () => {
    let isOver = false;
    const get = (): Promise<string> =>
      new Promise((resolve) => {
        request({ port, host: '127.0.0.1', agent: false }, (response) =>
          response.resume().on('end', () => resolve('answered')),
        )
          .on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`))
          .end();
      });
    const ends = Array.from({ length: 32 }, async () => {
      for (;;) {
        const how = await get();
        if (how !== 'answered' || isOver) return how;
      }
    });
    await pause(200);
    await stop();
    isOver = true;
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['ECONNREFUSED']));
  });

  it('displaces no caller whose request has arrived', async () => {
    const crowded = new HttpServer({ listener: (_request, response) => response.end('well') }, { connections: 3 });
    const { port: at } = await crowded.listen('127.0.0.1', 0);
    crowded.connections.holdBack();
    const ask = (): Promise<string | undefined> => {
      const socket = connect(at, '127.0.0.1', () => socket.write(GET));
      return text(socket).catch((error: NodeJS.ErrnoException) => error.code);
    };
    const early = Array.from({ length: 3 }, ask);
    await eventually(
      async () => crowded.connections.received,
      (begun) => begun === 3,
      'three requests',
    );
    const late = ask();
    await eventually(
      async () => crowded.connections.closedForRoom,
      (closed) => closed === 1,
      'one too many',
    );
    await crowded.stopListening();
    expect((await Promise.all(early)).filter((answer) => !answer?.endsWith('well'))).toEqual([]);
    await late;
    await crowded.drain();
  });
});
