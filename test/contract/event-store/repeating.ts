import { aNewEvent, aStream, newEvents } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { endOfLog, idsOf, readOwn } from './steps';

export function repeating(opened: Opened): void {
  describe('repeating an append', () => {
    it('returns the first result again and writes nothing', async () => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      const events = newEvents(3);
      const first = await opened.store.append(stream, 0, events);

      await expect(opened.store.append(stream, 0, events)).resolves.toEqual(first);
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(events));
      expect(idsOf(await readOwn(opened.store, start, [stream]))).toEqual(idsOf(events));
    });

    it('returns the first result even after later events', async () => {
      const stream = aStream();
      const batches = [newEvents(2), newEvents(1), newEvents(3)];
      const answers = [];
      let version = 0;
      for (const batch of batches) {
        answers.push(await opened.store.append(stream, version, batch));
        version += batch.length;
      }

      const [first, second, third] = batches.map((batch) => batch.map((event) => ({ ...event })));
      await expect(opened.store.append(stream, 0, first ?? [])).resolves.toEqual(answers[0]);
      await expect(opened.store.append(stream, 2, second ?? [])).resolves.toEqual(answers[1]);
      await expect(opened.store.append(stream, 3, third ?? [])).resolves.toEqual(answers[2]);
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(batches.flat()));
    });

    it('treats another batch at the same version as a conflict', async () => {
      const stream = aStream();
      const events = newEvents(2);
      await opened.store.append(stream, 0, events);
      const sameContentOtherIds = events.map((event) => aNewEvent(event.type, event.data));
      await expect(opened.store.append(stream, 0, sameContentOtherIds)).resolves.toEqual({ kind: 'conflict' });
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(events));
    });

    it('treats a batch that only begins with the stored ids as a conflict', async () => {
      const stream = aStream();
      const [first, second, other] = newEvents(3);
      if (!first || !second || !other) throw new Error('three events were asked for');
      await opened.store.append(stream, 0, [first, second]);
      await expect(opened.store.append(stream, 0, [first, other])).resolves.toEqual({ kind: 'conflict' });
      await expect(opened.store.append(stream, 0, [first, second, other])).resolves.toEqual({ kind: 'conflict' });
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf([first, second]));
    });
  });
}
