import { type ServerResponse } from 'node:http';
import { MAX_UNSENT_BYTES, UnreadResponses } from './unread-responses';

const MEGABYTE = 1024 * 1024;

/** What becomes of the connections is shown over real ones in pipelined-requests.spec.ts. */
describe('unread responses', () => {
  let now: number;
  beforeEach(() => {
    now = 10_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  const peer = (unread: number) => {
    const socket = { writableLength: unread, destroy: jest.fn() };
    const response = { socket } as unknown as ServerResponse;
    return { socket, response };
  };

  it('cost a peer that reads nothing its connection: after a second above the limit, after five below it', () => {
    const { socket, response } = peer(MAX_UNSENT_BYTES - MEGABYTE);
    const unread = new UnreadResponses(new Set([response]));
    const seen: [number, boolean, boolean, number][] = [];
    for (const at of [0, 1_000, 4_900, 5_000]) {
      now = 10_000 + at;
      seen.push([at, unread.areTooMany, unread.leaveRoomFor(2 * MEGABYTE), socket.destroy.mock.calls.length]);
    }
    expect(seen).toEqual([
      [0, false, false, 0],
      [1_000, false, false, 0],
      [4_900, false, false, 0],
      [5_000, false, false, 1],
    ]);
    const more = peer(2 * MEGABYTE);
    const above = new UnreadResponses(new Set([response, more.response]));
    for (const at of [0, 900, 1_000]) {
      now = 20_000 + at;
      expect([at, above.areTooMany, more.socket.destroy.mock.calls.length]).toEqual([at, true, at === 1_000 ? 1 : 0]);
    }
  });

  it('do not count from before the response: one that reads everything may get as large a page again', () => {
    const { socket, response } = peer(MAX_UNSENT_BYTES - MEGABYTE);
    const unread = new UnreadResponses(new Set([response]));
    expect(unread.leaveRoomFor(2 * MEGABYTE)).toBe(false);
    unread.forget(socket as never);
    now += 6_000;
    expect(unread.leaveRoomFor(2 * MEGABYTE)).toBe(false);
    expect(socket.destroy).not.toHaveBeenCalled();
    now += 6_000;
    expect([unread.leaveRoomFor(2 * MEGABYTE), socket.destroy.mock.calls.length]).toEqual([false, 1]);
  });

  it('leave room for as much as there is up to the limit', () => {
    const unread = new UnreadResponses(new Set([peer(MAX_UNSENT_BYTES - MEGABYTE).response]));
    expect([unread.leaveRoomFor(MEGABYTE), unread.leaveRoomFor(MEGABYTE + 1)]).toEqual([true, false]);
  });
});
