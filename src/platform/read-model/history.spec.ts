import { type RecordedEvent } from '../event-store/event-store.port';
import { eventsAsOf } from './history';

const at = (ms: number): string => new Date(Date.UTC(2030, 0, 31, 12) + ms).toISOString();

/** What changed at one time and was written at another; a note changes nothing that the record dates. */
const change = (stated: number, written: number) =>
  ({ type: 'Changed', data: { at: at(stated) }, metadata: { occurred_at: at(written) } }) as unknown as RecordedEvent;
const note = (written: number) =>
  ({ type: 'Noted', data: {}, metadata: { occurred_at: at(written) } }) as unknown as RecordedEvent;

const recordAfter = (events: readonly RecordedEvent[]): object | undefined => {
  const changes = events.flatMap(({ data }) => ('at' in data ? [data.at as string] : []));
  return changes.length === 0 ? undefined : { updated_at: changes.at(-1) };
};

describe('a record as of a moment', () => {
  const events = [change(0, 2), change(10, 13), note(20), change(30, 30)];
  const shownAt = (ms: number): number => eventsAsOf(events, at(ms), recordAfter).length;

  it.each([
    [-1, 0, 'before it was made'],
    [0, 1, 'when it says that it was made, although the log has it 2 ms later'],
    [9, 1, 'just before its change'],
    [10, 2, 'when it says that it was changed'],
    [19, 2, 'before what it does not date'],
    [20, 3, 'when the log has what it does not date'],
    [30, 4, 'at its last change'],
  ])('%i ms after noon has %i events: %s', (moment, count) => {
    expect(shownAt(moment)).toBe(count);
  });

  describe('after the clock was set back by an hour', () => {
    const HOUR_MS = 3_600_000;
    const straddling = [change(0, 2), change(HOUR_MS, HOUR_MS), change(10_000, 10_002), note(20_000)];
    const countAt = (ms: number): number => eventsAsOf(straddling, at(ms), recordAfter).length;

    it.each([
      [30_000, 4, 'now'],
      [20_000, 4, 'at its last event'],
      [10_002, 3, 'at its last change'],
      [9_999, 1, 'before that'],
      [HOUR_MS, 4, 'at the time that was set back'],
    ])('%i ms after noon has %i events: %s', (moment, count) => {
      expect(countAt(moment)).toBe(count);
    });
  });
});
