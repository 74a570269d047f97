import { connect } from 'node:net';

/** A request as bytes: it can express what no client library would send. */
export type RawRequest = Readonly<{
  method: string;
  /** The request target, exactly as sent. */
  target: string;
  /** Header lines as sent; names may repeat and be anything. */
  headers: readonly (readonly [string, string])[];
  body?: Uint8Array;
  /** Sent instead of all of the above. */
  bytes?: Uint8Array;
  /** Close the sending side after it. */
  isAll?: boolean;
}>;

export type RawAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; text: string }>;

const PATIENCE_MS = 40_000;

/** One connection, one request, the full response. Undefined if the service closed without responding. */
export function exchange(url: string, request: RawRequest): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const finish = (): void => {
      socket.destroy();
      resolve(chunks.length === 0 ? undefined : readAnswer(Buffer.concat(chunks)));
    };
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
      reject(new Error(`no answer within ${PATIENCE_MS} ms to ${request.method} ${request.target.slice(0, 80)}`));
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isComplete(Buffer.concat(chunks), request.method)) finish();
    });
    socket.on('close', finish);
    // A refused upload may be cut off while it is still being written; whatever was received by then counts.
    socket.on('error', () => undefined);
    const bytes = request.bytes ?? serialize(request, `${hostname}:${port}`);
    // A request that announced more than this will not send it; waiting for the rest is covered by another test.
    if (request.isAll) socket.end(bytes);
    else socket.write(bytes);
  });
}

function serialize({ method, target, headers, body }: RawRequest, host: string): Buffer {
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(has('host') ? [] : [`Host: ${host}`]),
    ...(has('connection') ? [] : ['Connection: close']),
    ...(body === undefined || has('content-length') || has('transfer-encoding')
      ? []
      : [`Content-Length: ${body.length}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8'), body ?? Buffer.alloc(0)]);
}

function isComplete(bytes: Buffer, method: string): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = bytes.subarray(0, end).toString('latin1');
  if (/^HTTP\/1\.1 1\d\d/.test(head)) return isComplete(bytes.subarray(end + 4), method);
  if (method === 'HEAD') return true;
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
  return length !== undefined && bytes.length >= end + 4 + Number(length);
}

function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end < 0 ? bytes.length : end).toString('latin1');
  const [first = '', ...lines] = head.split('\r\n');
  if (/^HTTP\/1\.1 1\d\d/.test(first)) return readAnswer(bytes.subarray(end + 4));
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? [];
  if (status === undefined) return { status: 599, headers: {}, text: `no HTTP: ${first.slice(0, 80)}` };
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(status), headers, text: end < 0 ? '' : bytes.subarray(end + 4).toString('utf8') };
}
