import fc from 'fast-check';
import { type Opened } from '../read-model.contract';
import { anyIds, jsonObjects } from './arbitraries';
import { asText, plain, things, walk, write, type Thing } from './sample-documents';

const parse = (text: string): Thing => JSON.parse(text) as Thing;

const FOR_ENGINES = [
  '$',
  '$where',
  '$set',
  '.',
  'a.b',
  '.a',
  'a.',
  '',
  '%',
  '%24',
  '%2E',
  '%%',
  '$ref',
  '$id',
  '_id',
  '_bsontype',
];
const FOR_JAVASCRIPT = [
  ...Object.getOwnPropertyNames(Object.prototype),
  '_proto_',
  'toJSON',
  'toBSON',
  '10',
  '2',
  '-1',
  '01',
];
const FOR_TEXT = ['\0', 'a\0b', 'é', '日本', '😀', ' ', '\n'];
const KEYS = [...FOR_ENGINES, ...FOR_JAVASCRIPT, ...FOR_TEXT].map((key) => JSON.stringify(key));

const VALUES: readonly string[] = [
  '[9007199254740991,-9007199254740991]',
  '[2147483647,2147483648,-2147483648,-2147483649,4294967296]',
  '[0,0.1,-0.5,1e-7,5e-324,1.7976931348623157e+308,123456789.123]',
  '[true,false,null,{"a":null}]',
  '[[],{},"",[[]],[{}]]',
  '[[1,[2,[3,[4,["x",{"y":[null]}]]]]]]',
  '["é","e\u0301","日本語","😀","\u202eabc","\ufeff","\uffff","\\u0000","\\n\\t\\"\\\\"]',
  '["1","01","1.0","9007199254740993","12345678901234567890.000000001"]',
  // Text and objects that an engine may interpret as its own syntax.
  '["2024-01-01T00:00:00.000Z","507f1f77bcf86cd799439011","$where","NaN"]',
  '[{"$date":"x"},{"$ref":"a","$id":"b"},{"_bsontype":"Long","low":1,"high":2},{"$numberLong":"1"}]',
];

export function keepingValues(opened: Opened): void {
  describe('storing values', () => {
    /** Stores all in one batch and reads each document in every possible way. */
    const keeps = async (texts: readonly string[]): Promise<void> => {
      const documents = texts.map((text, at) => parse(`{"id":"d${at}",${text.slice(1)}`));
      const expected = documents.map(asText);
      await opened.store.apply(
        documents.map((document, at) => write(document, at + 1)),
        BigInt(texts.length),
      );
      const got = await Promise.all(documents.map(({ id }) => opened.store.get(things, id)));
      expect(got.map(asText)).toEqual(expected);
      const loaded = await opened.store.load(documents.map(({ id }) => ({ collection: things, id })));
      expect(loaded.map((one) => asText(one?.document))).toEqual(expected);
      expect((await walk(opened.store, { index: 'all' }, 100)).map(asText).sort()).toEqual([...expected].sort());
    };

    it('keeps every kind of value', () => keeps(VALUES.map((text) => `{"value":${text}}`)));

    it('keeps every kind of key, at any depth', () =>
      keeps(KEYS.map((key) => `{${key}:1,"in":{${key}:{${key}:[{${key}:{"x":[{}]}}]}}}`)));

    it('keeps all keys together, in their order', () => {
      const members = [...KEYS, '"z"', '"y"'].map((key, at) => `${key}:${at}`);
      return keeps([
        `{"z0":1,"in":{${members.join()},"id":3},${members.join()}}`,
        `{${members.reverse().join()},"a":1}`,
      ]);
    });

    it('lets no document choose its prototype', async () => {
      await opened.store.apply(
        [write(parse('{"id":"a","__proto__":{"polluted":1},"in":{"__proto__":{"polluted":1}}}'), 1)],
        1n,
      );
      const got = await opened.store.get(things, 'a');
      expect(Object.getPrototypeOf(got)).toBe(Object.getPrototypeOf({}));
      expect([got?.['polluted'], (got?.['in'] as Thing)['polluted']]).toEqual([undefined, undefined]);
    });

    it('omits what JSON omits, and writes zero in one way', async () => {
      const loose = { id: 'a', missing: undefined, zero: -0, list: [undefined, -0], in: { missing: undefined } };
      await opened.store.apply([write(loose, 1)], 1n);
      const got = await opened.store.get(things, 'a');
      expect(asText(got)).toBe('{"id":"a","zero":0,"list":[null,0],"in":{}}');
      expect(Object.is(got?.['zero'], 0)).toBe(true);
    });

    it('returns documents that do not change with the ones that were passed in', async () => {
      const document = { id: 'a', list: [1] };
      await opened.store.apply([write(document, 1)], 1n);
      document.list.push(2);
      const got = (await opened.store.get(things, 'a')) as unknown as typeof document;
      expect(got.list).toEqual([1]);
      got.list.push(3);
      expect(await opened.store.get(things, 'a')).toEqual({ id: 'a', list: [1] });
    });

    it('keeps any JSON object exactly', async () => {
      let position = 0n;
      const exactly = async (object: object): Promise<void> => {
        const document = parse(`{"id":"a",${asText({ free: object }).slice(1)}`);
        position += 1n;
        await opened.store.apply([write(document, position, plain)], position);
        expect(asText(await opened.store.get(plain, 'a'))).toBe(asText(document));
      };
      await fc.assert(fc.asyncProperty(jsonObjects, exactly), { numRuns: 100 });
    });

    it('keeps ids of any printable characters up to 160', async () => {
      const longest = ['x'.repeat(160), '日'.repeat(160), '😀'.repeat(80)];
      let position = 0n;
      const kept = async (id: string): Promise<void> => {
        position += 1n;
        await opened.store.apply([write({ id, rank: 'r'.repeat(512) }, position)], position);
        expect(await opened.store.get(things, id)).toEqual({ id, rank: 'r'.repeat(512) });
      };
      for (const id of longest) await kept(id);
      await fc.assert(fc.asyncProperty(anyIds, kept), { numRuns: 60 });
      expect(await opened.store.get(things, 'x'.repeat(161))).toBeUndefined();
      expect(await opened.store.get(things, 'x'.repeat(5000))).toBeUndefined();
    });
  });
}
