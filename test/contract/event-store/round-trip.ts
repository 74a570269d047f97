import { newId } from '../../../src/kernel/ids';
import { aNewEvent, aStream, someMetadata } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { endOfLog, readOwn } from './steps';

const DATA: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['scalars', { text: '', yes: true, no: false, none: null, zero: 0, negative: -12.5, huge: Number.MAX_SAFE_INTEGER }],
  ['unicode', { greeting: 'Grüße, Ελλάδα, 東京, עברית, 👩‍👩‍👧‍👦, e\u0301', ключ: '\u2028\u0000\ufeff' }],
  ['nesting', { a: { b: [{ c: [[], {}, [[1], [2, [3]]]] }] }, empty: { list: [], object: {} } }],
  ['awkward keys', { $where: 1, 'a.b': { '$c.d': 2 }, '': 3, '0': 4, ' ': 5, _id: 6, toString: 7, constructor: 8 }],
  ['200 kB', { text: 'ä€😀x'.repeat(20_000), list: Array.from({ length: 5000 }, (_, index) => index) }],
];

export function roundTrip(opened: Opened): void {
  describe('stored events', () => {
    it.each(DATA)('are returned as they were written: %s', async (_, data) => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      const event = aNewEvent('Kept', data);
      await opened.store.append(stream, 0, [event]);

      for (const found of [await opened.store.readStream(stream), await readOwn(opened.store, start, [stream])]) {
        expect(found).toHaveLength(1);
        expect(found[0]).toStrictEqual({ ...event, stream, version: 1, position: found[0]?.position });
      }
    });

    it('keep their metadata exactly, with a cause and without', async () => {
      const stream = aStream();
      const caused = {
        ...someMetadata(),
        causation_id: newId('evt'),
        actor: { kind: 'wallet_device', id: 'dev-ü"\\😀' },
        schema: 7,
      };
      const events = [{ ...aNewEvent('Caused'), metadata: caused }, aNewEvent('Uncaused')];
      await opened.store.append(stream, 0, events);
      const found = await opened.store.readStream(stream);
      expect(found.map((event) => event.metadata)).toStrictEqual(events.map((event) => event.metadata));
      expect(found.map((event) => event.type)).toEqual(['Caused', 'Uncaused']);
    });
  });
}
