import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { ThreadLink } from '../../threads/thread-link';
import { type EventStore, LOG_START, type NewEvent, StoreUnavailable } from '../event-store.port';
import { openEmbeddedEventStore, openEmbeddedEventStoreBeside } from './open-embedded-event-store';

const event = (id: string): NewEvent => ({
  type: 'ThingHappened',
  data: { id },
  metadata: {
    event_id: id,
    occurred_at: '2026-01-01T00:00:00.000Z',
    request_id: 'req',
    actor: { kind: 'test', id: 'test' },
    schema: 1,
  },
});

describe('a log that two threads have open', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-two-threads-'));
  const { port1, port2 } = new MessageChannel();
  const front = new ThreadLink(port1);
  let writing: EventStore;
  let asking: EventStore;

  beforeAll(async () => {
    writing = await openEmbeddedEventStore(directory, front);
    asking = openEmbeddedEventStoreBeside(directory, new ThreadLink(port2));
  });
  afterAll(async () => {
    await asking.close();
    await writing.close();
    port1.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('takes appends from both at the version they expect, and from neither at another', async () => {
    expect(await asking.append('thing-1', 0, [event('a')])).toEqual({ kind: 'appended', version: 1, position: 1n });
    expect(await writing.append('thing-1', 1, [event('b')])).toEqual({ kind: 'appended', version: 2, position: 2n });
    expect(await asking.append('thing-1', 1, [event('c')])).toEqual({ kind: 'conflict' });
    const ids = (await asking.readStream('thing-1')).map(({ metadata }) => metadata.event_id);
    expect(ids).toEqual(['a', 'b']);
  });

  it('returns the first result again for a repeated append', async () => {
    expect(await asking.append('thing-1', 0, [event('a')])).toEqual({ kind: 'appended', version: 1, position: 1n });
  });

  it('is followed by the reading thread once it is notified that reads show more', async () => {
    const following = new AbortController();
    const seen = asking.subscribe(await asking.head(), { signal: following.signal })[Symbol.asyncIterator]();
    const next = seen.next();
    await writing.append('thing-2', 0, [event('d')]);
    front.notify('shown');
    expect((await next).value).toMatchObject({ stream: 'thing-2', position: 3n });
    following.abort();
  });

  it('is unavailable to both threads when it is unavailable to the one that writes', async () => {
    jest.spyOn(writing, 'append').mockRejectedValueOnce(new StoreUnavailable('hanging', new Error('no disk')));
    const refusal = await asking.append('thing-3', 0, [event('e')]).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreUnavailable);
    expect(refusal).toMatchObject({ outcome: 'hanging', cause: { message: 'no disk' } });
    expect(asking.writable).toBe(false);
    expect(await asking.readAll(LOG_START, 10)).toHaveLength(3);
  });
});
