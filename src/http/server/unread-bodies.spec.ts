import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpServer } from './http-server';

describe('a connection whose body nobody wanted', () => {
  it('does not hold up the stop', async () => {
    // Answers before it has read anything, as is done with a path that leads nowhere.
    const server = new HttpServer({ listener: (_, response) => response.end('nothing here') }, { drainMs: 600_000 });
    const { port } = await server.listen('127.0.0.1', 0);
    const socket = connect(port, '127.0.0.1');
    const heard = text(socket);
    await once(socket, 'connect');
    socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n');
    await once(socket, 'data');
    socket.write('{ } ');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.drain();
    expect(await heard).toContain('nothing here');
  }, 10_000);
});
