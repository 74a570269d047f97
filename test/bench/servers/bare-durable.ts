import { createHmac, randomBytes } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { open } from 'lmdb';

// A program: the least that a payment request can cost on these stores, without framework, checks or decisions. It
// writes as many records of the same sizes as the service does, the event durably, and responds with the document. For
// POST /sent it also signs and sends the document to RECEIVER, and records nothing of it.
const EVENT_BYTES = 1_400;
const DOCUMENT_BYTES = [1_300, 340, 310, 320];
const INDEX_ENTRIES = 10;
const INDEX_KEY_BYTES = 100;
const DURABLE = { overlappingSync: false, eventTurnBatching: false };

const { DATA_DIR = '.', RECEIVER = '' } = process.env;
const events = open<Buffer, number>(join(DATA_DIR, 'events.mdb'), { noSubdir: true, ...DURABLE });
const log = events.openDB<Buffer, number>('log', { encoding: 'binary' });
const streams = events.openDB<number, [string, number]>('streams', { encoding: 'json' });
const model = open<string, string>({
  path: join(DATA_DIR, 'model'),
  encoding: 'string',
  noSubdir: false,
  noSync: true,
  eventTurnBatching: false,
});
const documents = model.openDB<string, Buffer>('documents', { encoding: 'string', keyEncoding: 'binary' });
const indexes = model.openDB<string, Buffer>('indexes', { encoding: 'string', keyEncoding: 'binary' });
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const key = randomBytes(32);
const padding = 'x'.repeat(EVENT_BYTES);
let position = 0;

async function create(input: unknown): Promise<string> {
  const id = randomBytes(16).toString('hex');
  const at = (position += 1);
  const text = JSON.stringify({ id, input, created_at: new Date().toISOString(), padding });
  await events.transaction(() => {
    void log.put(at, Buffer.from(text.slice(0, EVENT_BYTES)));
    void streams.put([`payment_request-${id}`, 1], at);
  });
  // Like the service's: lists are sorted by time, and only the request itself is found by its id.
  const place = `${String(at).padStart(12, '0')}${id}`;
  await model.transaction(() => {
    for (const [number, length] of DOCUMENT_BYTES.entries())
      void documents.put(Buffer.from(`collection_${number}\0${number === 0 ? id : place}`), text.slice(0, length));
    for (let number = 0; number < INDEX_ENTRIES; number += 1) {
      const list = `index_${number}\0${padding}`.slice(0, INDEX_KEY_BYTES - place.length);
      void indexes.put(Buffer.from(`${list}${place}`), id);
    }
  });
  return text.slice(0, DOCUMENT_BYTES[0]);
}

function send(document: string): void {
  const signature = createHmac('sha256', key).update(document).digest('base64');
  const headers = { 'content-type': 'application/json', 'webhook-signature': signature };
  request(RECEIVER, { agent, method: 'POST', headers }, (response) => void response.resume()).end(document);
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
  incoming.on('end', () => {
    void create(JSON.parse(Buffer.concat(chunks).toString())).then((document) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(document) };
      outgoing.writeHead(201, headers).end(document);
      if (incoming.url === '/sent') send(document);
    });
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('listens\n'));
