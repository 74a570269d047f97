import {
  type AllStreamResolvedEvent,
  END,
  NO_STREAM,
  type Position,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { newStream, openForTheseTests, reachable, recording, someEvent, someEvents } from './official-client';

const EVENTS = ['confirmation', 'data', 'caughtUp', 'error', 'end'] as const;

describe('subscribing to the test server', () => {
  const opened = openForTheseTests();
  const idsOf = (seen: readonly { name: string; value: unknown }[]) =>
    seen.filter(({ name }) => name === 'data').map(({ value }) => (value as AllStreamResolvedEvent).event?.id);

  it('confirms, delivers existing events, reports once that it has caught up, and continues with new ones', async () => {
    const stream = newStream();
    const events = someEvents(3);
    await opened.client.appendToStream(stream, events.slice(0, 2), { expectedRevision: NO_STREAM });
    const subscription = opened.client.subscribeToStream(stream);
    const record = recording(subscription, ...EVENTS);
    await record.until(() => record.count('caughtUp') === 1);
    await opened.client.appendToStream(stream, events.slice(2), { expectedRevision: 1n });
    await record.until(() => record.count('data') === 3);

    expect(record.seen.map(({ name }) => name)).toEqual(['confirmation', 'data', 'data', 'caughtUp', 'data']);
    expect(idsOf(record.seen)).toEqual(events.map(({ id }) => id));
    await subscription.unsubscribe();
  });

  it('reports that it has caught up if there are no events', async () => {
    const subscription = opened.client.subscribeToAll({ fromPosition: END });
    const record = recording(subscription, ...EVENTS);
    await record.until(() => record.count('caughtUp') === 1);
    expect(record.seen.map(({ name }) => name)).toEqual(['confirmation', 'caughtUp']);
    await subscription.unsubscribe();
  });

  it('starts after the position or revision, not at it', async () => {
    const stream = newStream();
    const events = someEvents(4);
    const answers = [];
    for (const event of events) answers.push(await opened.client.appendToStream(stream, event));
    const fromPosition = answers[1]?.position as Position;

    const filter = streamNameFilter({ prefixes: [stream] });
    for (const subscribe of [
      () => opened.client.subscribeToAll({ fromPosition, filter }),
      () => opened.client.subscribeToStream(stream, { fromRevision: 1n }),
    ]) {
      const subscription = subscribe();
      const record = recording(subscription, ...EVENTS);
      await record.until(() => record.count('caughtUp') === 1);
      await subscription.unsubscribe();
      expect(idsOf(record.seen)).toEqual(events.slice(2).map(({ id }) => id));
    }
  });

  it('fails on a position where no event begins', async () => {
    const subscription = opened.client.subscribeToAll({ fromPosition: { commit: 3n, prepare: 3n } });
    const record = recording(subscription, ...EVENTS);
    await record.until(() => record.count('error') === 1);
    expect(record.seen.map(({ name }) => name)).toEqual(['confirmation', 'error']);
    expect(record.seen[1]?.value).toBeInstanceOf(UnknownError);
  });

  it('accepts a position beyond the end, and sends nothing until the log has grown past it', async () => {
    const stream = newStream();
    const { position } = await opened.client.appendToStream(stream, someEvent());
    const beyond = (position?.commit ?? 0n) + 1_000n;
    const subscription = opened.client.subscribeToAll({ fromPosition: { commit: beyond, prepare: beyond } });
    const record = recording(subscription, ...EVENTS);
    await record.until(() => record.count('caughtUp') === 1);
    const [before, after] = [someEvent(), someEvent({ text: 'x'.repeat(2_000) })];
    await opened.client.appendToStream(stream, before);
    await opened.client.appendToStream(stream, after);
    const last = someEvent();
    await opened.client.appendToStream(stream, last);
    await record.until(() => idsOf(record.seen).includes(last.id));
    expect(idsOf(record.seen)).not.toContain(before.id);
    await subscription.unsubscribe();
  });

  it('sends checkpoints of a filtered subscription, from which it resumes exactly', async () => {
    const stream = newStream();
    const { position } = await opened.client.appendToStream(newStream(), someEvent());
    for (let round = 0; round < 6; round += 1) await opened.client.appendToStream(newStream(), someEvents(10));
    const last = someEvent();

    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [stream],
      checkpointReached: (_, reached) => void checkpoints.push(reached),
    });
    const first = opened.client.subscribeToAll({ fromPosition: position as Position, filter });
    const record = recording(first, ...EVENTS);
    await record.until(() => record.count('caughtUp') === 1);
    await first.unsubscribe();
    expect(checkpoints.length).toBeGreaterThan(0);
    expect(checkpoints[0]?.prepare).toBe(0n);

    await opened.client.appendToStream(stream, last, { expectedRevision: NO_STREAM });
    const second = opened.client.subscribeToAll({ fromPosition: checkpoints.at(-1) as Position, filter });
    const again = recording(second, ...EVENTS);
    await again.until(() => again.count('data') === 1);
    await second.unsubscribe();
    expect(idsOf(again.seen)).toEqual([last.id]);
  });

  it('drops a live consumer that does not read', async () => {
    const stream = newStream();
    const subscription = opened.client.subscribeToStream(stream);
    const record = recording(subscription, 'confirmation', 'caughtUp', 'error', 'end');
    subscription.read();
    await record.until(() => record.count('caughtUp') === 1);

    const text = 'x'.repeat(10_000);
    const before = opened.server.droppedConsumers();
    for (let count = 0; count < 1000 && opened.server.droppedConsumers() === before; count += 1) {
      await opened.client.appendToStream(stream, someEvent({ text }));
    }
    subscription.resume();
    await record.until(() => record.count('error') === 1);
    expect(record.seen.at(-1)?.value).toBeInstanceOf(TimeoutError);
    expect(record.seen.at(-1)?.value).toMatchObject({
      code: 10,
      message: expect.stringContaining('Consumer too slow'),
    });
  });

  it('keeps a consumer that reads, and one that is still catching up', async () => {
    const stream = newStream();
    const before = opened.server.droppedConsumers();
    const quick = opened.client.subscribeToStream(stream);
    const live = recording(quick, ...EVENTS);
    await live.until(() => live.count('caughtUp') === 1);
    for (let count = 0; count < 300; count += 1) {
      await opened.client.appendToStream(stream, someEvent({ text: 'x'.repeat(1000) }));
    }
    await live.until(() => live.count('data') === 300);
    await quick.unsubscribe();

    const slow = opened.client.subscribeToStream(stream);
    slow.read();
    await new Promise((resolve) => slow.once('readable', resolve));
    for (let count = 0; count < 300; count += 1) await opened.client.appendToStream(stream, someEvent());
    const late = recording(slow, ...EVENTS);
    await late.until(() => late.count('caughtUp') === 1);
    await slow.unsubscribe();
    expect(late.count('data')).toBe(600);
    expect(opened.server.droppedConsumers()).toBe(before);
  });

  it('fails with one error when the server dies, and does not reconnect on its own', async () => {
    const stream = newStream();
    const subscription = opened.client.subscribeToStream(stream);
    const record = recording(subscription, ...EVENTS);
    await record.until(() => record.count('caughtUp') === 1);

    await opened.server.restart();
    await record.until(() => record.count('error') === 1);
    expect(record.seen.at(-1)?.value).toBeInstanceOf(UnavailableError);
    expect(record.seen.at(-1)?.value).toMatchObject({ code: 14 });
    await reachable(opened.client);
    const other = opened.client.subscribeToStream(stream);
    const mended = recording(other, ...EVENTS);
    await opened.client.appendToStream(stream, someEvent());
    await mended.until(() => mended.count('data') === 1);
    await other.unsubscribe();
    expect(record.seen.map(({ name }) => name)).toEqual(['confirmation', 'caughtUp', 'error']);
  });
});
