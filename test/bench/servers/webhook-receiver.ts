import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

// A program: answers 204 to every POST and counts it; under /dead it never answers. GET returns the count. After
// GET /hold it holds its responses until GET /go. Verifications are answered at once.
let posts = 0;
let held: ServerResponse[] | undefined;

function control(path: string | undefined): void {
  if (path === '/hold') held ??= [];
  if (path !== '/go') return;
  const waiting = held ?? [];
  held = undefined;
  for (const response of waiting) take(response);
}

function take(response: ServerResponse): void {
  posts += 1;
  response.writeHead(204).end();
}

const server = createServer((incoming, response) => {
  if (incoming.method === 'GET') {
    control(incoming.url);
    return void response.end(String(posts));
  }
  if (incoming.url === '/dead') return void incoming.resume();
  let body = '';
  // Only verifications need their body, and they come before any load.
  if (posts === 0) incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
  else incoming.resume();
  incoming.on('end', () => {
    const [, challenge] = /"challenge":"([^"]+)"/.exec(body) ?? [];
    if (challenge !== undefined) return void response.end(JSON.stringify({ challenge }));
    if (held === undefined) take(response);
    else held.push(response);
  });
});

server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write(`receiver listens on ${(server.address() as AddressInfo).port}\n`);
});
