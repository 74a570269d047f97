import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  NO_STREAM,
  type ResolvedEvent,
  StreamNotFoundError,
  UnknownError,
} from '@eventstore/db-client';
import { all, newStream, openForTheseTests, someEvent, someEvents } from './official-client';

describe('reading from the test server', () => {
  const opened = openForTheseTests();
  const stream = newStream();
  const ids = someEvents(10);
  beforeAll(async () => {
    await opened.client.appendToStream(stream, ids, { expectedRevision: NO_STREAM });
    await opened.client.appendToStream(newStream(), someEvents(3), { expectedRevision: NO_STREAM });
  });

  const readAll = (options: Parameters<typeof opened.client.readAll>[0]): Promise<AllStreamResolvedEvent[]> =>
    all<AllStreamResolvedEvent>(opened.client.readAll(options));
  const revisions = async (options: Parameters<typeof opened.client.readStream>[1]): Promise<(bigint | undefined)[]> =>
    (await all<ResolvedEvent>(opened.client.readStream(stream, options))).map(({ event }) => event?.revision);

  it('reports a missing stream when it is iterated, not before', async () => {
    const reading = opened.client.readStream(newStream());
    await expect(all(reading)).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  it('returns events as they were written', async () => {
    const id = ids[0]?.id.toUpperCase() ?? '';
    const other = newStream();
    const event = { ...someEvent({ ä: '€' }, id), metadata: { note: 'ü' } };
    await opened.client.appendToStream(other, event, { expectedRevision: NO_STREAM });
    const [found] = await all<ResolvedEvent>(opened.client.readStream(other));
    expect(found?.event).toMatchObject({
      streamId: other,
      id: id.toLowerCase(),
      revision: 0n,
      type: 'Tested',
      data: { ä: '€' },
      metadata: { note: 'ü' },
      isJson: true,
    });
    expect(found?.event?.created.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
    expect(found?.event?.position?.commit).toBe(found?.event?.position?.prepare);
  });

  it('reads a stream from a revision, inclusive, in both directions', async () => {
    await expect(revisions({ fromRevision: 7n })).resolves.toEqual([7n, 8n, 9n]);
    await expect(revisions({ fromRevision: 2n, direction: BACKWARDS })).resolves.toEqual([2n, 1n, 0n]);
    await expect(revisions({ fromRevision: END, direction: BACKWARDS, maxCount: 2 })).resolves.toEqual([9n, 8n]);
    await expect(revisions({ maxCount: 2 })).resolves.toEqual([0n, 1n]);
  });

  it('finds nothing past the end of a stream', async () => {
    await expect(revisions({ fromRevision: 10n })).resolves.toEqual([]);
    await expect(revisions({ fromRevision: 10_000n })).resolves.toEqual([]);
  });

  it('fails if zero events are requested', async () => {
    await expect(revisions({ maxCount: 0 })).rejects.toBeInstanceOf(UnknownError);
    await expect(readAll({ maxCount: 0 })).rejects.toBeInstanceOf(UnknownError);
  });

  it('starts a page of the whole log with the event at the position', async () => {
    const page = await readAll({ maxCount: 4 });
    const last = page.at(-1)?.event?.position;
    const next = await readAll({ maxCount: 4, ...(last && { fromPosition: last }) });
    expect(next[0]?.event?.position).toEqual(last);
    expect(next).toHaveLength(4);
  });

  it('reads the whole log backwards from its end', async () => {
    const forwards = await readAll({});
    const backwards = await readAll({ direction: BACKWARDS, fromPosition: END });
    expect(backwards.map(({ event }) => event?.id)).toEqual(forwards.map(({ event }) => event?.id).reverse());
    await expect(readAll({ fromPosition: END })).resolves.toEqual([]);
  });

  it('fails on a position where no event begins', async () => {
    const [, second] = await readAll({ maxCount: 2 });
    const { commit } = second?.event?.position ?? { commit: 0n };
    const between = { commit: commit + 1n, prepare: commit + 1n };
    await expect(readAll({ fromPosition: between })).rejects.toBeInstanceOf(UnknownError);
  });

  it('finds nothing beyond the end of the log', async () => {
    const beyond = { commit: 2n ** 60n, prepare: 2n ** 60n };
    await expect(readAll({ fromPosition: beyond })).resolves.toEqual([]);
  });
});
