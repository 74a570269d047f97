import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

// A program: answers each POST after DELAY_MS, as a receiver over a network does. GET returns when each payment request
// was first delivered, by the clock that all processes of a machine share, and clears the list.
const delay = Number(process.env['DELAY_MS'] ?? 0);
const known = new Set<string>();
let arrivals: [request: string, milliseconds: number][] = [];
let posts = 0;

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const server = createServer((incoming, response) => {
  if (incoming.method === 'GET') {
    response.end(JSON.stringify({ arrivals, posts }));
    arrivals = [];
    return;
  }
  const arrived = now();
  let body = '';
  incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
  incoming.on('end', () => {
    const [, challenge] = /"challenge":"([^"]+)"/.exec(body) ?? [];
    if (challenge !== undefined) return void response.end(JSON.stringify({ challenge }));
    posts += 1;
    const id = String(incoming.headers['webhook-id']);
    const [, request = ''] = /"request_id":"([^"]+)"/.exec(body) ?? [];
    if (!known.has(id)) arrivals.push([request, arrived]);
    known.add(id);
    setTimeout(() => response.writeHead(204).end(), delay);
  });
});

server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write(`receiver listens on ${(server.address() as AddressInfo).port}\n`);
});
