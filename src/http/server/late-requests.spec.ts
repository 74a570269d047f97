import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../../test/support/eventually';
import { standStill } from '../../../test/support/stand-still';
import { HttpServer, type ServerLimits } from './http-server';

const asking = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const HALF = 'GET /half HTTP/1.1\r\nHos';
const REST = 't: x\r\n\r\n';
const BODY = 'x'.repeat(100);
const POST = `POST /posted HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`;

/**
 * No time runs out by itself: each test says when Node would have found it so, which is the same on a machine of any
 * speed.
 */
const patient: Partial<ServerLimits> = {
  checkIntervalMs: 600_000,
  headersMs: 600_000,
  bodyMs: 600_000,
  keepAliveMs: 600_000,
  stalledMs: 600_000,
  refusalMs: 20,
  drainWaitMs: 20,
};

describe('a request that seems late', () => {
  let server: HttpServer;
  /** Our end of the connection. */
  let ours: Socket & { server?: Server };
  let theirs: Socket;
  let heard: string;
  let ended: Promise<string>;
  let held: ServerResponse | undefined;

  const answerOrHold = (request: IncomingMessage, response: ServerResponse): void => {
    ours = request.socket;
    request.on('error', () => undefined);
    request.resume().on('end', () => {
      if (request.url === '/held') held = response;
      else response.end(`<${request.url}>`);
    });
  };
  const until = (condition: () => boolean, what: string): Promise<boolean> =>
    eventually(async () => condition(), Boolean, what);
  const told = (answer: string): Promise<boolean> => until(() => heard.includes(answer), answer);
  const refused = (): Promise<boolean> => told(' 408 ');

  /** A connection that has had one answer, so that we know our end of it. */
  const open = async (changes: Partial<ServerLimits> = {}): Promise<void> => {
    server = new HttpServer({ listener: answerOrHold }, { ...patient, ...changes });
    const { port } = await server.listen('127.0.0.1', 0);
    // Each write is to lie in our socket at once.
    theirs = connect({ port, host: '127.0.0.1', noDelay: true });
    heard = '';
    theirs.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    ended = text(theirs).catch(() => heard);
    theirs.write(asking('/first'));
    await told('</first>');
  };
  const say = async (words: string): Promise<void> => {
    const { bytesRead } = ours;
    theirs.write(words);
    await until(() => ours.bytesRead === bytesRead + words.length, 'all read');
  };
  /** What they say now lies in our socket, and Node's timers come before it is read. */
  const sayWhileWeStandStill = (words: string): void => {
    theirs.write(words);
    standStill(50);
  };
  const nodeFindsItLate = (): void => {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    ours.server?.emit('clientError', error, ours);
  };
  const nodeFindsItSilent = (): void => void ours.emit('timeout');

  afterEach(async () => {
    theirs.destroy();
    held?.end();
    await server.drain();
  });

  it('is answered if it is unread in the socket', async () => {
    await open();
    await say(HALF);
    sayWhileWeStandStill(REST);
    nodeFindsItLate();
    await told('</half>');
    theirs.write(asking('/next'));
    await told('</next>');
    expect(heard).not.toContain(' 408 ');
  });

  it('is answered if its body is unread in the socket', async () => {
    await open();
    await say(POST);
    sayWhileWeStandStill(BODY);
    nodeFindsItLate();
    await told('</posted>');
    expect(heard).not.toContain(' 408 ');
  });

  it.each([
    ['its headers', HALF],
    ['its body', `${POST}${BODY.slice(1)}`],
    ['all of it', ''],
  ])('is refused if %s did not arrive, and the connection ends', async (_, words) => {
    await open();
    await say(words);
    nodeFindsItLate();
    await refused();
    expect(await ended).toMatch(/<\/first>HTTP\/1\.1 408 [^]*"request_timeout"/);
  });

  it.each([
    ['its headers', HALF, REST, '</half>'],
    ['its body', POST, BODY, '</posted>'],
  ])(
    'gets its full time after the responses to those before it: %s may still arrive',
    async (_, part, rest, answer) => {
      await open();
      await say(asking('/held') + part);
      nodeFindsItLate();
      held?.end('<held>');
      await told('<held>');
      theirs.write(rest);
      await told(answer);
      expect(heard).not.toContain(' 408 ');
    },
  );

  it.each([
    ['its headers', HALF],
    ['its body', POST],
  ])('is refused after the responses to those before it if %s did not arrive by then', async (_, part) => {
    await open({ headersMs: 20, bodyMs: 20 });
    await say(asking('/held') + part);
    nodeFindsItLate();
    held?.end('<held>');
    await refused();
    expect(await ended).toMatch(/<held>HTTP\/1\.1 408 [^]*"request_timeout"/);
  });

  it('is answered on a connection that was idle for long, if it arrived before the timeout was handled', async () => {
    await open();
    sayWhileWeStandStill(asking('/second'));
    nodeFindsItSilent();
    await told('</second>');
    expect(theirs.closed).toBe(false);
    nodeFindsItSilent();
    await once(theirs, 'close');
  });
});
