import { EventStoreDBClient, NO_STREAM, type ResolvedEvent, UnavailableError } from '@eventstore/db-client';
import { all, failureOf, newStream, openForTheseTests, reachable, someEvent } from './official-client';

/** Longer than the call's deadline, so that a working deadline would have taken effect. */
const WELL_AFTER_DEADLINE_MS = 600;

describe('while the test server is unavailable', () => {
  const opened = openForTheseTests();
  const append = (stream: string) =>
    opened.client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM, deadline: 10_000 });
  const count = async (stream: string): Promise<number> =>
    (await all<ResolvedEvent>(opened.client.readStream(stream))).length;

  beforeEach(() => reachable(opened.client));

  it('calls in flight when it dies fail as unavailable', async () => {
    await append(newStream());
    opened.server.freeze();
    const appending = failureOf(append(newStream()));
    const reading = failureOf(count(newStream()));
    await new Promise(setImmediate);
    await opened.server.goDown();
    opened.server.thaw();

    for (const error of [await appending, await reading]) {
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({ type: 'unavailable', code: 14 });
    }
    await opened.server.comeUp();
  });

  it('appends fail with a plain error while it is down, reads with their own, and both work afterwards', async () => {
    const stream = newStream();
    await append(stream);
    await opened.server.goDown();
    await failureOf(count(stream));

    const appending = await failureOf(append(newStream()));
    expect(appending).not.toBeInstanceOf(UnavailableError);
    expect(appending).toMatchObject({ code: 14 });
    expect(appending).not.toHaveProperty('type');
    expect(await failureOf(count(stream))).toBeInstanceOf(UnavailableError);

    await opened.server.comeUp();
    await reachable(opened.client);
    await expect(count(stream)).resolves.toBe(1);
    await expect(append(newStream())).resolves.toMatchObject({ success: true });
  });

  it.each([
    ['is refused when it thaws later', 50, 'deadline-exceeded', 0],
    ['lands when it thaws in time', 60_000, 'landed', 1],
  ])('an append on a frozen server does not end at its deadline, and %s', async (_, deadline, outcome, events) => {
    const stream = newStream();
    await append(stream);
    opened.server.freeze();
    let settled = false;
    const appending = opened.client.appendToStream(stream, someEvent(), { expectedRevision: 0n, deadline });
    const ended = appending.then(
      () => 'landed',
      ({ type }: { type?: unknown }) => type,
    );
    void ended.finally(() => (settled = true));
    await new Promise((resolve) => setTimeout(resolve, WELL_AFTER_DEADLINE_MS));
    expect(settled).toBe(false);
    opened.server.thaw();
    await expect(ended).resolves.toBe(outcome);
    await expect(count(stream)).resolves.toBe(1 + events);
  });

  it('an append on a frozen server ends with the keep-alive', async () => {
    // Shorter than the usual ten seconds, and for this test alone: it would end the other calls on a frozen server too.
    const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const hasty = '&keepAliveInterval=1500&keepAliveTimeout=500';
    const client = EventStoreDBClient.connectionString(`${opened.server.url}${hasty}`);
    warnings.mockRestore();
    const hurried = () =>
      client.appendToStream(newStream(), someEvent(), { expectedRevision: NO_STREAM, deadline: 50 });
    await client.appendToStream(newStream(), someEvent());
    opened.server.freeze();
    await expect(hurried()).rejects.toBeInstanceOf(UnavailableError);
    opened.server.thaw();
    await client.dispose();
  });

  it('dropped connections do not prevent immediate use', async () => {
    const stream = newStream();
    await append(stream);
    await opened.server.dropConnections();
    await reachable(opened.client);
    await expect(count(stream)).resolves.toBe(1);
  });
});
