import { createServer } from 'node:http';

/** The least a JSON service can do: read, parse, respond. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body: unknown = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, body }));
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('listens\n'));
