import { eventually } from '../../test/support/eventually.ts';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { RequestWaiter } from './request-waiter.ts';
import { AgentClient } from './agent-client.ts';
import { followEvents } from './follow-events.ts';
import { type EventPage, type PaymentRequest } from './types/payment.ts';

const DAY = 24 * 3600_000;

describe('long and concurrent waits', () => {
  it('misses no event that another wait has seen while this one was reading', async () => {
    type Event = { cursor: number; request_id: string };
    const events: Event[] = [
      { cursor: 1, request_id: 'a' },
      { cursor: 2, request_id: 'b' },
    ];
    const final = new Set<string>();
    const wakers = new Set<() => void>();
    const append = (request_id: string) => {
      events.push({ cursor: events.length + 1, request_id });
      for (const wake of wakers) wake();
    };
    let slowRead: (() => void) | undefined;
    let reads = 0;
    const connected = {
      pollEvents: async ({ since, wait }: { since: number; wait?: number }, { signal }: { signal?: AbortSignal }) => {
        const after = () => events.filter(({ cursor }) => cursor > since);
        if (wait && after().length === 0) {
          await new Promise<void>((resolve) => {
            wakers.add(resolve);
            setTimeout(resolve, 300);
            signal?.addEventListener('abort', () => resolve());
          });
          signal?.throwIfAborted();
        }
        const found = after();
        return {
          events: found,
          next_cursor: found.at(-1)?.cursor ?? since,
          newest_cursor: events.length,
          has_more: false,
        } as unknown as EventPage;
      },
      readPaymentRequest: async (id: string) => {
        const seen = { request_id: id, is_final: final.has(id) } as unknown as PaymentRequest;
        // The response to the first read of `a` is delayed.
        if (id === 'a' && (reads += 1) === 1) await new Promise<void>((resolve) => (slowRead = resolve));
        return seen;
      },
    };
    const waiter = new RequestWaiter(connected);
    const options = { wait: 20, timeoutMs: 20_000 };
    const b = waiter.waitFor('b', options).catch(() => undefined);
    const a = waiter.waitFor('a', options);
    await eventually(
      async () => slowRead !== undefined,
      (isReading) => isReading,
      'the first read',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    final.add('a');
    append('a');
    await new Promise((resolve) => setTimeout(resolve, 50));
    slowRead!();
    await expect(a).resolves.toMatchObject({ request_id: 'a', is_final: true });
    final.add('b');
    append('b');
    await b;
  });

  it('continues after the log was restored: the cursor that is now too high was not the caller’s', async () => {
    let newest = 50;
    const waiter = new RequestWaiter({
      pollEvents: async ({ since }) => {
        if (since === 10) newest = 11;
        const events = since === 10 ? [{ cursor: 11, request_id: 'a' }] : [];
        const next_cursor = Math.max(since, newest);
        return { events, next_cursor, newest_cursor: newest, has_more: false } as unknown as EventPage;
      },
      readPaymentRequest: async () => ({ is_final: newest !== 10, status: 'confirmed' }) as unknown as PaymentRequest,
    });
    await waiter.waitFor('a', {});
    // Restored from an older backup.
    newest = 10;
    await expect(waiter.waitFor('a', {})).resolves.toMatchObject({ status: 'confirmed' });
  });

  it('ends with what was last read', async () => {
    const waiter = new RequestWaiter({
      pollEvents: (query, { signal }) =>
        new Promise((resolve, reject) => {
          const page = { events: [], next_cursor: 0, newest_cursor: 0, has_more: false };
          if (query.wait === undefined) return resolve(page);
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
      readPaymentRequest: async () => ({ is_final: false, status: 'signed' }) as unknown as PaymentRequest,
    });
    const waiting = waiter.waitFor('a', { timeoutMs: 20 });
    await expect(waiting).rejects.toMatchObject({ name: 'SvcTimeoutError', last: { status: 'signed' } });
  });

  it('does not flood a service that may answer at once', async () => {
    const end = new AbortController();
    const steps: string[] = [];
    const poll = async () => {
      steps.push('poll');
      if (steps.length > 2) end.abort();
      return { events: [], next_cursor: 0, newest_cursor: 0, has_more: false };
    };
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback) => {
      steps.push('pause');
      queueMicrotask(callback);
      return undefined as unknown as NodeJS.Timeout;
    });
    try {
      for await (const event of followEvents(poll, { wait: 0, signal: end.signal })) void event;
    } finally {
      timers.mockRestore();
    }
    expect(steps).toEqual(['poll', 'pause', 'poll']);
  });

  it('waits as long as a request may be open: 30 days', async () => {
    const waiter = new RequestWaiter({
      pollEvents: async (_query, { signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        signal?.throwIfAborted();
        return { events: [], next_cursor: 0, newest_cursor: 0, has_more: false };
      },
      readPaymentRequest: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { is_final: (reads += 1) > 0, status: 'confirmed' } as unknown as PaymentRequest;
      },
    });
    let reads = 0;
    await expect(waiter.waitFor('a', { timeoutMs: 30 * DAY })).resolves.toMatchObject({ status: 'confirmed' });
  });

  it('sends a call whose time limit is longer than a timer can count', async () => {
    const server = createServer(
      (_request, response) => void setTimeout(() => response.end('{"payment_request":{"status":"pending"}}'), 50),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const agent = new AgentClient({ baseUrl, connectionToken: 'x', timeoutMs: 30 * DAY });
      await expect(agent.readPaymentRequest('pr_1')).resolves.toMatchObject({ status: 'pending' });
    } finally {
      server.close();
    }
  });

  it('does not flood a service that asks for a long pause', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(503, { 'retry-after': '3000000' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const end = new AbortController();
    const agent = new AgentClient({ baseUrl, connectionToken: 'x' });
    setTimeout(() => end.abort(), 500);
    for await (const event of agent.events({ signal: end.signal })) void event;
    server.close();
    expect(asked).toBeLessThanOrEqual(2);
  });
});
