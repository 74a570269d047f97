import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

describe('the TCP proxy', () => {
  let echo: Server;
  let heard: string;
  let proxy: TcpProxy;
  beforeEach(async () => {
    heard = '';
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        heard += bytes.toString();
        socket.write(bytes);
      });
    });
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startTcpProxy((echo.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await proxy.stop();
    echo.close();
  });

  const dial = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const say = async (socket: Socket, text: string): Promise<string> => {
    socket.write(text);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return bytes.toString();
  };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  };

  it('forwards what both sides send', async () => {
    const socket = await dial();
    await expect(say(socket, 'one')).resolves.toBe('one');
    await expect(say(socket, 'two')).resolves.toBe('two');
    expect(heard).toBe('onetwo');
  });

  it('cuts every connection and accepts new ones', async () => {
    const sockets = [await dial(), await dial()];
    const closed = sockets.map((socket) => once(socket, 'close'));
    proxy.cut();
    await Promise.all(closed);
    await expect(say(await dial(), 'again')).resolves.toBe('again');
  });

  it('refuses new connections until it accepts again, on the same port', async () => {
    const socket = await dial();
    await proxy.refuse();
    await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(say(socket, 'still here')).resolves.toBe('still here');
    await proxy.accept();
    await expect(say(await dial(), 'back')).resolves.toBe('back');
  });

  it('holds back bytes while it is paused, on new connections too, and sends them once', async () => {
    const socket = await dial();
    await say(socket, 'a');
    proxy.pause();
    const later = await dial();
    const answers = [once(socket, 'data'), once(later, 'data')];
    socket.write('b');
    later.write('c');
    await turns(20);
    expect(heard).toBe('a');
    proxy.resume();
    await Promise.all(answers);
    expect([...heard].sort()).toEqual(['a', 'b', 'c']);
  });

  it('can hold back only the responses', async () => {
    const socket = await dial();
    await say(socket, 'a');
    proxy.pause('answers');
    let answered = '';
    socket.on('data', (bytes) => (answered += bytes.toString()));
    socket.write('b');
    while (heard !== 'ab') await turns(1);
    await turns(20);
    expect(answered).toBe('');
    proxy.resume();
    while (answered !== 'b') await turns(1);
    expect(heard).toBe('ab');
  });
});
