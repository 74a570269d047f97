import { AgentClient } from '../../agent-client.ts';
import { isPassing } from '../../errors.ts';
import { type MerchantClient } from '../../merchant/client.ts';
import { pause } from '../../pause.ts';
import { PAYMENT_STATUSES } from '../../payment-statuses.ts';
import { type PaymentRequest, type PaymentStatus } from '../../types/payment.ts';
import { Account } from './account.ts';
import { type Command, type Terminal, textOf, type Values } from './command.ts';
import { EXIT, usage } from './exit-codes.ts';
import { wholeNumber } from './numbers.ts';
import { plain, table } from './table.ts';

const POLL_INTERVAL_MS = 1_000;

export const getPayment: Command = {
  name: 'payments get',
  takes: '<request id> [--json]',
  summary: 'Print one payment request',
  about: ['As the merchant after svc login, or as the agent whose connection token is set.'],
  options: { json: { type: 'boolean' } },
  words: 1,
  async run({ words: [id = ''], values, terminal }) {
    print(await reader(terminal)(id), values, terminal);
    return EXIT.ok;
  },
};

export const listPayments: Command = {
  name: 'payments list',
  takes: '[--status <status>] [--limit <n>] [--json]',
  summary: 'Print payment requests, newest first',
  about: [
    `--status  one of ${PAYMENT_STATUSES.join(', ')}`,
    '--limit   the maximum number; the default is 20',
    '--json    one JSON object per line',
  ],
  options: { status: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } },
  words: 0,
  async run({ values, terminal }) {
    const status = textOf(values, 'status');
    if (status !== undefined && !PAYMENT_STATUSES.some((one) => one === status)) {
      throw usage(`--status must be one of ${PAYMENT_STATUSES.join(', ')}`);
    }
    const limit = wholeNumber(textOf(values, 'limit'), 'limit', 100_000) ?? 20;
    const found = await list(terminal, status as PaymentStatus | undefined, limit);
    if (values['json'] === true) found.forEach((request) => terminal.out(JSON.stringify(request)));
    else {
      const rows = found.map(({ request_id, status: now, payment, payee, created_at }) => [
        ...[request_id, now, `${payment.amount} ${payment.asset}`, payee.name, created_at],
      ]);
      table(['REQUEST', 'STATUS', 'AMOUNT', 'PAYEE', 'CREATED'], rows).forEach(terminal.out);
    }
    return EXIT.ok;
  },
};

export const waitForPayment: Command = {
  name: 'payments wait',
  takes: '<request id> [--timeout <seconds>] [--json]',
  summary: 'Wait until a payment request is decided',
  about: [
    '--timeout  give up after this many seconds; by default never',
    '',
    'Exit code 0: confirmed. 1: failed, rejected or expired. 4: not decided in time. 3: it could not be determined.',
  ],
  options: { timeout: { type: 'string' }, json: { type: 'boolean' } },
  words: 1,
  async run({ words: [id = ''], values, terminal }) {
    const seconds = wholeNumber(textOf(values, 'timeout'), 'timeout', 1_000_000_000);
    const deadline = seconds === undefined ? Infinity : performance.now() + seconds * 1000;
    const read = reader(terminal);
    for (;;) {
      const request = await readBeforeDeadline(() => read(id), deadline, terminal);
      if (request?.is_final) {
        print(request, values, terminal);
        return request.status === 'confirmed' ? EXIT.ok : EXIT.no;
      }
      const left = deadline - performance.now();
      if (left <= 0) {
        if (request !== undefined) print(request, values, terminal);
        return EXIT.undecided;
      }
      await pause(Math.min(POLL_INTERVAL_MS, left), terminal.signal);
      terminal.signal.throwIfAborted();
    }
  },
};

/** A service that is briefly unavailable does not end the wait while there is time left. */
async function readBeforeDeadline<T>(
  read: () => Promise<T>,
  deadline: number,
  terminal: Terminal,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isPassing(error) || performance.now() >= deadline) throw error;
    terminal.note(`still trying: ${String(error)}`);
    return undefined;
  }
}

function reader(terminal: Terminal): (id: string) => Promise<PaymentRequest> {
  const client = new Account(terminal).merchantOrAgent();
  const options = { signal: terminal.signal };
  return client instanceof AgentClient
    ? (id) => client.readPaymentRequest(id, options)
    : (id) => client.payments.read(id, {}, options);
}

async function list(terminal: Terminal, status: PaymentStatus | undefined, most: number) {
  const client: MerchantClient | AgentClient = new Account(terminal).merchantOrAgent();
  const found: PaymentRequest[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < most;) {
    const limit = Math.min(100, most - found.length);
    const query = { limit, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) };
    const options = { signal: terminal.signal };
    const page = await (client instanceof AgentClient
      ? client.listPaymentRequests(query, options)
      : client.payments.list(query, options));
    found.push(...page.payment_requests);
    cursor = page.next_cursor;
  }
  return found;
}

function print(request: PaymentRequest, values: Values, { out }: Terminal): void {
  if (values['json'] === true) {
    out(JSON.stringify(request));
    return;
  }
  const { payment, payee } = request;
  const facts: readonly (readonly [string, unknown])[] = [
    ['request', request.request_id],
    ['status', request.status],
    ['amount', `${payment.amount} ${payment.asset} on ${payment.network}`],
    ['payee', `${payee.name} (${payee.domain})`],
    ['created', request.created_at],
    ['expires', request.expires_at],
    ['transaction', request.transaction_hash],
    ['reason', request.reason],
    ['settlement', request.settlement?.verdict],
  ];
  for (const [name, value] of facts) if (value !== undefined) out(`${name.padEnd(12)}${plain(value)}`);
}
