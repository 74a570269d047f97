import { createServer } from 'node:http';
import { operationsOf, paymentTo, transactionOf } from '../../support/horizon';

// A program: a network server that reports every transaction asked for as the payment given by PAYEE and AMOUNT.
const paid = { operations: [paymentTo(process.env['PAYEE'] ?? '', process.env['AMOUNT'] ?? '')], ledger: 17 };

const server = createServer((request, response) => {
  const [, hash = '', list] = /^\/transactions\/([^/?]+)(?:\/(operations))?/.exec(request.url ?? '') ?? [];
  const body = JSON.stringify(list ? operationsOf(hash, paid) : transactionOf(hash, paid));
  const headers = { 'content-type': 'application/hal+json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('listens\n'));
