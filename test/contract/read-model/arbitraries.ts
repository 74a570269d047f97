import fc from 'fast-check';

/** Ids are compared by every character, including upper and lower case. */
export const anyIds = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((id) => id.length <= 160 && !/[\p{Cc}]/u.test(id));

const keys = fc.oneof(
  fc.constantFrom(
    '$',
    '$where',
    'a.b',
    '',
    '%',
    '%2E',
    '__proto__',
    'constructor',
    '_bsontype',
    '_id',
    '0',
    '10',
    '2',
    '\0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);

const scalars = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

/** JSON text, because only the parser creates an own property named `__proto__`. */
const texts: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalars.map((scalar) => JSON.stringify(scalar)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(keys, tie('value')), { maxLength: 5 })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
})).object;

export const jsonObjects: fc.Arbitrary<object> = texts.map((text) => JSON.parse(text) as object);

/**
 * Text that every engine orders alike. Code points and UTF-16 units differ only for U+E000..U+FFFF against the
 * planes above; an engine that compares units is not worth a transformation of every key.
 */
export const sortTexts = fc.constantFrom(
  '',
  ' ',
  '0',
  '10',
  '2',
  'A',
  'Z',
  'a',
  'aa',
  'ab',
  'a b',
  'b',
  'é',
  'ß',
  'ж',
  '日',
  '😀',
  '😁',
);

export const sortNumbers = fc.oneof(
  fc.constantFrom(
    0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    10,
    2147483648,
    -2147483649,
    9007199254740991,
    -9007199254740991,
    1e300,
    5e-324,
  ),
  fc.integer({ min: -3, max: 3 }),
);
