import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { mayBeKnownTo, wasKnownTo } from './clock';
import { type Log } from './invariant';

/** A log of events at these seconds, in its order. */
function logAt(...seconds: readonly number[]) {
  const events = seconds.map((at, index) => {
    const occurred_at = new Date(Date.parse('2030-01-01T00:00:00.000Z') + at * 1000).toISOString();
    return { position: BigInt(index + 1), metadata: { occurred_at } } as RecordedEvent;
  });
  const log = { next: async ({ position }: RecordedEvent) => events[Number(position)] } as unknown as Log;
  const judge = (one: number, creation: number) => {
    const [event, created] = [events[one], events[creation]] as [RecordedEvent, RecordedEvent];
    const about = { event: created, at: created.metadata.occurred_at };
    return Promise.all([wasKnownTo(log, event, about), mayBeKnownTo(log, event, about)]);
  };
  return { judge };
}

const KNOWN = [true, true];
const UNKNOWN = [false, false];

describe('whether the service knew about an event when it created a payment', () => {
  it('is told by their times', async () => {
    const { judge } = logAt(0, 100, 200);
    expect(await judge(0, 1)).toEqual(KNOWN);
    expect(await judge(2, 1)).toEqual(UNKNOWN);
    expect(await logAt(0, 10).judge(0, 1)).toEqual([false, true]);
  });

  it('is told by their order if the clock was set back in between', async () => {
    expect(await logAt(3_600, 0, 1).judge(0, 1)).toEqual(KNOWN);
    expect(await logAt(3_600, 0, 1).judge(1, 0)).toEqual(UNKNOWN);
  });

  it('is told by their order also if the next event comes when the old time has nearly come again', async () => {
    expect(await logAt(3_600, 3_560, 3_580).judge(0, 1)).toEqual(KNOWN);
    expect(await logAt(3_600, 3_560, 3_580).judge(1, 0)).toEqual(UNKNOWN);
  });

  it('is told in favour of the service if one event was dated back by little: the clock may have gone to and fro', async () => {
    expect(await logAt(45, 1, 46).judge(0, 1)).toEqual([false, true]);
    expect(await logAt(45, 1, 46).judge(1, 0)).toEqual([false, true]);
    expect(await logAt(45, 1).judge(0, 1)).toEqual([false, true]);
    expect(await logAt(302, 1, 303).judge(0, 1)).toEqual(UNKNOWN);
    expect(await logAt(302, 1, 303).judge(1, 0)).toEqual(KNOWN);
  });

  it('is told by the time that an event claims which alone was dated back', async () => {
    expect(await logAt(3_600, 0, 3_601).judge(0, 1)).toEqual(UNKNOWN);
    expect(await logAt(3_600, 0).judge(0, 1)).toEqual(UNKNOWN);
  });
});
