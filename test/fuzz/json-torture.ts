import { gzipSync } from 'node:zlib';
import { type Random } from '../support/seeded';
import { naughtyStrings } from './naughty';

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const around = (inside: Buffer): Buffer => Buffer.concat([Buffer.from('{"name":"'), inside, Buffer.from('"}')]);

const nested = (open: string, close: string, depth: number, heart = ''): string =>
  open.repeat(depth) + heart + close.repeat(depth);

/** Numbers as text: some valid JSON but not representable, some not valid JSON. */
const NUMBERS = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '0.1e1',
  '1E+2',
  '1'.repeat(20_000),
  `0.${'0'.repeat(20_000)}1`,
  '00',
  '01',
  '-',
  '+1',
  '1.',
  '.5',
  '1e',
  '0x10',
  'NaN',
  'Infinity',
  '1_000',
  '１',
];

/** Whole bodies that are not a single JSON object, or only nearly. */
const DOCUMENTS = [
  'null',
  'true',
  '0',
  '"text"',
  '[]',
  '[{}]',
  '{}',
  '{}{}',
  '{} x',
  '{',
  '}',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '{,}',
  '{"a":1 "b":2}',
  '{"a":[1,]}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"\t"}',
  '{"a":"b',
  '// x\n{}',
  '/* x */{}',
  '{"a":undefined}',
  '<a/>',
  'a=b',
  '\u0000',
  ' ',
  '\n\n\n',
  '{"":""}',
  '{"__proto__":{"x":1}}',
  '{"a":{"constructor":{"prototype":{"x":1}}}}',
  '{"\\u005f_proto__":1}',
  '{"a":"\\ud800"}',
  '{"a":"\\udc00\\ud800"}',
  '{"\\ud800":1}',
  '{"a":"\\u0000"}',
  '{"\\u0000":"\\u202e"}',
];

/** Bytes that are not UTF-8, or JSON in another encoding. */
const BROKEN: readonly Buffer[] = [
  around(bytes(0xff)),
  around(bytes(0xc0, 0x80)),
  around(bytes(0xc1, 0xbf)),
  around(bytes(0xe2, 0x82)),
  around(bytes(0xed, 0xa0, 0x80)),
  around(bytes(0xf4, 0x90, 0x80, 0x80)),
  around(bytes(0xf8, 0x88, 0x80, 0x80, 0x80)),
  around(bytes(0x80)),
  Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from('{}')]),
  Buffer.from('{"name":"x"}', 'utf16le'),
  Buffer.concat([bytes(0xff, 0xfe), Buffer.from('{}', 'utf16le')]),
  gzipSync('{}'),
  bytes(0),
];

/** A body meant to break a JSON parser, sometimes built around one of the operation's own fields. */
export function tortureBody(random: Random, field: string): Buffer {
  const name = JSON.stringify(field);
  const kinds: readonly (() => string | Buffer)[] = [
    () => random.pick(DOCUMENTS),
    () => random.pick(BROKEN),
    () => `{${name}:${random.pick(NUMBERS)}}`,
    () => `{${name}:${nested('[', ']', random.pick([15, 16, 17, 100, 1_000, 10_000, 30_000]))}}`,
    () => `{${name}:${nested('{"a":', '}', random.pick([14, 15, 16, 1_000, 8_000]), '1')}}`,
    () => nested('[', ']', random.pick([100, 32_000, 200_000])),
    () => '['.repeat(random.pick([1, 1_000, 60_000])),
    () => `{${name}:"${'x'.repeat(random.pick([60_000, 65_500, 65_536, 70_000, 1_000_000]))}"}`,
    () => `{${name}:1,${name}:"two",${name}:{}}`,
    () => `{"__proto__":${name},${name}:1}`,
    () => `{${Array.from({ length: 4_000 }, (_, index) => `"k${index}":0`).join()}}`,
    () => `{${Array.from({ length: 3_000 }, () => `${name}:0`).join()}}`,
    () => `{"${'k'.repeat(60_000)}":"\\u0000"}`,
    () => `{${name}:[${'"\\u0001",'.repeat(5_000)}0]}`,
    () => JSON.stringify({ [random.pick(naughtyStrings)]: random.pick(naughtyStrings) }),
    () => `${' '.repeat(random.pick([10, 60_000]))}{}`,
  ];
  const made = random.pick(kinds)();
  return typeof made === 'string' ? Buffer.from(made) : made;
}
