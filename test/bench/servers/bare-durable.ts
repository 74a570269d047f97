import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { open } from 'lmdb';

// A program: the least that a create can cost on these stores. It checks nothing and knows nobody; it writes as many
// records of the same size as the service does for a payment request, the event durably, and then answers with the
// document. Requests that arrive together share their commits.
const EVENT_BYTES = 1_400;
const DOCUMENT_BYTES = [1_300, 340, 310, 320];
const INDEX_ENTRIES = 13;
const INDEX_KEY_BYTES = 100;

const folder = process.env['DATA_DIR'] ?? '.';
const events = open<Buffer, number>(join(folder, 'bare-events.mdb'), {
  noSubdir: true,
  overlappingSync: false,
  eventTurnBatching: false,
});
const log = events.openDB<Buffer, number>('log', { encoding: 'binary' });
const streams = events.openDB<number, [string, number]>('streams', { encoding: 'json' });
const model = open<string, string>({
  path: join(folder, 'bare-model'),
  encoding: 'string',
  noSubdir: false,
  noSync: true,
  eventTurnBatching: false,
});
const documents = model.openDB<string, Buffer>('documents', { encoding: 'string', keyEncoding: 'binary' });
const indexes = model.openDB<string, Buffer>('indexes', { encoding: 'string', keyEncoding: 'binary' });

let position = 0;
const padding = 'x'.repeat(EVENT_BYTES);

async function create(input: unknown): Promise<string> {
  const id = randomBytes(16).toString('hex');
  const at = (position += 1);
  const text = JSON.stringify({ id, input, created_at: new Date().toISOString(), padding });
  const record = Buffer.from(text.slice(0, EVENT_BYTES));
  await events.transaction(() => {
    void log.put(at, record);
    void streams.put([`payment_request-${id}`, 1], at);
  });
  const document = text.slice(0, DOCUMENT_BYTES[0]);
  await model.transaction(() => {
    for (const [number, length] of DOCUMENT_BYTES.entries())
      void documents.put(Buffer.from(`collection_${number}\0${id}`), document.slice(0, length));
    for (let number = 0; number < INDEX_ENTRIES; number += 1)
      void indexes.put(Buffer.from(`index_${number}\0${padding.slice(0, INDEX_KEY_BYTES - 50)}${at}${id}`), id);
  });
  return document;
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
  incoming.on('end', () => {
    void create(JSON.parse(Buffer.concat(chunks).toString())).then((document) => {
      outgoing.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(document) });
      outgoing.end(document);
    });
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('listens\n'));
