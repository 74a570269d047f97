import {
  type AllStreamResolvedEvent,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NO_STREAM,
  type ResolvedEvent,
  STREAM_EXISTS,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { all, failureOf, newStream, openForTheseTests, reachable, someEvent, someEvents } from './official-client';

describe('appending to the test server', () => {
  const opened = openForTheseTests();
  const eventsOf = (stream: string): Promise<ResolvedEvent[]> => all<ResolvedEvent>(opened.client.readStream(stream));

  it('answers with the revision of the last event and a position in the log', async () => {
    const stream = newStream();
    const first = await opened.client.appendToStream(stream, someEvents(3), { expectedRevision: NO_STREAM });
    const second = await opened.client.appendToStream(stream, someEvent(), { expectedRevision: 2n });

    expect(first).toEqual({ success: true, nextExpectedRevision: 2n, position: first.position });
    expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n });
    const [, , , last] = await eventsOf(stream);
    expect(second.position).toEqual(last?.event?.position);
  });

  it('reports the position of the first of several events', async () => {
    const stream = newStream();
    const { position } = await opened.client.appendToStream(stream, someEvents(3), { expectedRevision: NO_STREAM });
    const positions = (await eventsOf(stream)).map(({ event }) => event?.position);
    expect(position).toEqual(positions[0]);
    expect(position).not.toEqual(positions[2]);
  });

  it('assigns positions that grow by bytes over all streams, beyond what a number represents exactly', async () => {
    for (let round = 0; round < 4; round += 1) {
      await opened.client.appendToStream(newStream(), someEvents(2), { expectedRevision: NO_STREAM });
    }
    const read = await all<AllStreamResolvedEvent>(opened.client.readAll());
    const commits = read.map(({ event }) => event?.position.commit ?? 0n);
    const steps = commits.slice(1).map((commit, index) => commit - (commits[index] ?? 0n));
    expect(steps.filter((step) => step <= 100n)).toEqual([]);
    expect(commits[0]).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('adds system events between the others', async () => {
    const stream = newStream();
    for (let version = 0; version < 20; version += 1) await opened.client.appendToStream(stream, someEvent());
    const read = await all<AllStreamResolvedEvent>(opened.client.readAll());
    const types = new Set(read.map(({ event }) => event?.type));
    expect([...types]).toEqual(expect.arrayContaining(['$metadata', '$statsCollected', 'Tested']));
  });

  it('reports the expected and the actual revision if they differ', async () => {
    const stream = newStream();
    await opened.client.appendToStream(stream, someEvents(2), { expectedRevision: NO_STREAM });

    const behind = await failureOf(opened.client.appendToStream(stream, someEvent(), { expectedRevision: 0n }));
    expect(behind).toBeInstanceOf(WrongExpectedVersionError);
    expect(behind).toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 0n,
      actualVersion: 1n,
      message: '',
      name: 'Error',
    });
    await expect(
      opened.client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM }),
    ).rejects.toMatchObject({ expectedVersion: 'no_stream', actualVersion: 1n });
    await expect(
      opened.client.appendToStream(newStream(), someEvent(), { expectedRevision: 4n }),
    ).rejects.toMatchObject({ expectedVersion: 4n, actualVersion: 'no_stream' });
    await expect(
      opened.client.appendToStream(newStream(), someEvent(), { expectedRevision: STREAM_EXISTS }),
    ).rejects.toMatchObject({ expectedVersion: 'stream_exists', actualVersion: 'no_stream' });
    expect(await eventsOf(stream)).toHaveLength(2);
  });

  it('returns the first result again for the same ids at the same revision, whatever the data', async () => {
    const stream = newStream();
    const events = someEvents(2);
    const first = await opened.client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    const third = someEvent();
    const second = await opened.client.appendToStream(stream, third, { expectedRevision: 1n });
    await opened.client.appendToStream(stream, someEvent(), { expectedRevision: 2n });

    const changed = events.map((event) => ({ ...event, data: { other: true } }));
    await expect(opened.client.appendToStream(stream, changed, { expectedRevision: NO_STREAM })).resolves.toEqual(
      first,
    );
    await opened.server.restart();
    await reachable(opened.client);
    await expect(opened.client.appendToStream(stream, third, { expectedRevision: 1n })).resolves.toEqual(second);
    expect(await eventsOf(stream)).toHaveLength(4);
  });

  it('does not treat a batch as a repetition if it only begins like one', async () => {
    const stream = newStream();
    const [one, two, other] = someEvents(3);
    if (!one || !two || !other) throw new Error('three events were asked for');
    await opened.client.appendToStream(stream, [one, two], { expectedRevision: NO_STREAM });
    for (const batch of [
      [one, other],
      [one, two, other],
    ]) {
      await expect(opened.client.appendToStream(stream, batch, { expectedRevision: NO_STREAM })).rejects.toBeInstanceOf(
        WrongExpectedVersionError,
      );
    }
  });

  it('writes a known id again if it is appended at the current revision', async () => {
    const stream = newStream();
    const event = someEvent();
    await opened.client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    await opened.client.appendToStream(stream, event, { expectedRevision: 0n });
    expect((await eventsOf(stream)).map((found) => found.event?.id)).toEqual([event.id, event.id]);
  });

  it('lets exactly one of twenty callers begin the same stream', async () => {
    const stream = newStream();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        opened.client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM }),
      ),
    );
    const refused = results.filter(
      (result) => result.status === 'rejected' && result.reason instanceof WrongExpectedVersionError,
    );
    expect(refused).toHaveLength(19);
    expect(await eventsOf(stream)).toHaveLength(1);
  });

  it('accepts 1,048,576 bytes in one append and no more, including type and metadata', async () => {
    const stream = newStream();
    const overhead = JSON.stringify({ text: '' }).length + 2 * 'Tested'.length;
    const sized = (bytes: number) => someEvent({ text: 'x'.repeat(bytes - overhead) });
    await opened.client.appendToStream(stream, sized(1_048_576), { expectedRevision: NO_STREAM });
    const error = await failureOf(
      opened.client.appendToStream(stream, [sized(524_288), sized(524_289)], { expectedRevision: 0n }),
    );
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({ maxAppendSize: 1_048_576 });
    const described = { ...sized(1_048_576), metadata: {} };
    await expect(opened.client.appendToStream(stream, described, { expectedRevision: 0n })).rejects.toBeInstanceOf(
      MaxAppendSizeExceededError,
    );
    expect(await eventsOf(stream)).toHaveLength(1);
  });

  it('breaks the call that all appends share at over 16 MiB, and accepts the next', async () => {
    const huge = someEvent({ text: 'x'.repeat(16 * 1024 * 1024) });
    const error = await failureOf(opened.client.appendToStream(newStream(), huge, { expectedRevision: NO_STREAM }));
    expect(error).toBeInstanceOf(UnknownError);
    expect(error).toMatchObject({ type: 'unknown', code: 8 });
    await expect(
      opened.client.appendToStream(newStream(), someEvent(), { expectedRevision: NO_STREAM }),
    ).resolves.toMatchObject({ success: true });
  });

  it('compares the deadline with its own clock', async () => {
    opened.server.setClockAhead(60_000);
    const append = () => opened.client.appendToStream(newStream(), someEvent(), { expectedRevision: NO_STREAM });
    await expect(append()).rejects.toBeInstanceOf(DeadlineExceededError);
    opened.server.setClockAhead(0);
    await expect(append()).resolves.toMatchObject({ success: true });
  });

  it.each([
    ['an id that is no UUID', newStream(), someEvent({}, 'not-a-uuid')],
    ['an empty stream name', '', someEvent()],
  ])('fails on %s', async (_, stream, event) => {
    await expect(opened.client.appendToStream(stream, event, { expectedRevision: NO_STREAM })).rejects.toBeInstanceOf(
      UnknownError,
    );
  });

  describe('with one call per append, as for separate credentials', () => {
    const credentials = { username: 'ops', password: 'unused' };

    it('answers as the shared call does', async () => {
      const stream = newStream();
      const events = someEvents(2);
      const first = await opened.client.appendToStream(stream, events, { expectedRevision: NO_STREAM, credentials });
      expect(first).toMatchObject({ success: true, nextExpectedRevision: 1n });
      await expect(
        opened.client.appendToStream(stream, events, { expectedRevision: NO_STREAM, credentials }),
      ).resolves.toEqual(first);
      await expect(
        opened.client.appendToStream(stream, someEvent(), { expectedRevision: 7n, credentials }),
      ).rejects.toMatchObject({ type: 'wrong-expected-version', expectedVersion: 7n, actualVersion: 1n });
    });

    it('has the same limit', async () => {
      const large = someEvent({ text: 'x'.repeat(1_048_577) });
      await expect(
        opened.client.appendToStream(newStream(), large, { expectedRevision: NO_STREAM, credentials }),
      ).rejects.toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 });
    });
  });
});
