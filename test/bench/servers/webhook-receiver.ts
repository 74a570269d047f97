import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

// A program: answers 204 to whatever is posted and counts it; under /dead it never answers. GET tells the count.
let posts = 0;

const server = createServer((incoming, response) => {
  if (incoming.method === 'GET') return void response.end(String(posts));
  incoming.resume();
  if (incoming.url === '/dead') return;
  incoming.on('end', () => {
    posts += 1;
    response.writeHead(204).end();
  });
});

server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write(`receiver listens on ${(server.address() as AddressInfo).port}\n`);
});
