import { Agent, type IncomingMessage, request } from 'node:http';
import { watchAnswer } from './secrets/issued-secrets';

export type Answer = Readonly<{ status: number; headers: Headers; body: Record<string, any>; text: string }>;

type Call = Readonly<{
  method?: string;
  body?: unknown;
  raw?: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
}>;

/** Closes an idle connection before the service does: a request on a closing connection fails. */
const IDLE_MS = 3_000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** One HTTP call; the response body is parsed if it is JSON. `fetch` costs more processor time than the service. */
export async function call(url: string, { method, body, raw, headers = {} }: Call = {}): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await exchange(url, method ?? (payload === undefined ? 'GET' : 'POST'), payload, headers);
  const text = await textOf(response);
  const status = response.statusCode ?? 0;
  watchAnswer(url, status, text, response.headers['set-cookie']?.join(', ') ?? '');
  const isJson = (response.headers['content-type'] ?? '').includes('json');
  return { status, headers: headersOf(response), body: isJson ? JSON.parse(text) : {}, text };
}

const exchange = (
  url: string,
  method: string,
  payload: string | Uint8Array | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent }, resolve);
    outgoing.on('error', reject);
    if (payload !== undefined) {
      outgoing.setHeader('content-type', 'application/json');
      outgoing.setHeader('content-length', Buffer.byteLength(payload));
    }
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    // As bytes: a text would go into one write with the headers, in UTF-8, which is not how headers are written.
    outgoing.end(typeof payload === 'string' ? Buffer.from(payload) : payload);
  });

const textOf = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.on('error', reject);
  });

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}
