import { randomUUID } from 'node:crypto';
import { type EventEmitter } from 'node:events';
import { BACKWARDS, END, EventStoreDBClient, jsonEvent, type JSONEventData } from '@eventstore/db-client';
import { startEventStoreDb, type TestEventStoreDb } from './server';

export type Opened = Readonly<{ server: TestEventStoreDb; client: EventStoreDBClient }>;

/** A test server and the official client connected to it, for the duration of the test file. */
export function openForTheseTests(): Opened {
  const opened: { server?: TestEventStoreDb; client?: EventStoreDBClient } = {};
  beforeAll(async () => {
    opened.server = await startEventStoreDb();
    opened.client = EventStoreDBClient.connectionString(opened.server.url);
  });
  afterAll(async () => {
    await opened.client?.dispose();
    await opened.server?.stop();
  });
  return opened as Opened;
}

export const someEvent = (data: Record<string, unknown> = {}, id: string = randomUUID()): JSONEventData =>
  jsonEvent({ id, type: 'Tested', data });

export const someEvents = (count: number): JSONEventData[] =>
  Array.from({ length: count }, (_, index) => someEvent({ index }));

export const newStream = (): string => `server_test-${randomUUID()}`;

export async function all<T>(items: AsyncIterable<unknown>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item as T);
  return found;
}

/** The error of a failing promise, for tests that check several aspects of it. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
}

/** A client notices a broken connection only by a failing call; until then any call may fail. */
export async function reachable(client: EventStoreDBClient): Promise<void> {
  for (;;) {
    try {
      await all(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** What an emitter has emitted so far, and a wait for more. */
export function recording(emitter: EventEmitter, ...names: readonly string[]) {
  const seen: { name: string; value: unknown }[] = [];
  const waiting = new Set<() => void>();
  for (const name of names) {
    emitter.on(name, (value: unknown) => {
      seen.push({ name, value });
      waiting.forEach((check) => check());
    });
  }
  return {
    seen,
    count: (name: string): number => seen.filter((entry) => entry.name === name).length,
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
