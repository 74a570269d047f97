import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { someMetadata } from '../../../test/support/events';
import { created, creation } from '../payment-requests/payment-request.fixtures';
import { FollowedSubjects } from './followed-subjects';

const MiB = 1024 * 1024;
const COUNT = 2_000;

describe('the subjects that are followed', () => {
  /** How many of that many requests are still known when all of them have been reported. */
  const heldOf = async (metadata: object): Promise<number> => {
    const first = (stream: string): RecordedEvent => ({
      ...created,
      data: { ...creation, metadata },
      metadata: someMetadata(),
      stream,
      version: 1,
      position: 1n,
    });
    const read = jest.fn((stream: string) => Promise.resolve([first(stream)]));
    const subjects = new FollowedSubjects({ readStream: read } as unknown as EventStore);
    const streams = Array.from({ length: COUNT }, (_, at) => `payment_request-pr_${at}`);
    for (const stream of streams) await subjects.after(stream, 1);
    read.mockClear();
    for (const stream of streams.reverse()) await subjects.after(stream, 1);
    return COUNT - read.mock.calls.length;
  };

  it('are a thousand or more of the usual size', async () => {
    expect(await heldOf({ order: 'order-1017' })).toBeGreaterThanOrEqual(1_000);
  });

  it('take no more memory if each is as large as a body may be', async () => {
    const held = await heldOf({ text: 'x'.repeat(60_000) });
    expect(held).toBeGreaterThan(50);
    // Once in the event, once in the document.
    expect(held * 2 * 60_000).toBeLessThanOrEqual(32 * MiB);
  });
});
