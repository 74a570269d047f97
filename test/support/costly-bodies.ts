import { MAX_ENTRIES } from '../../src/http/input/json-body';
import { MAX_BODY_BYTES } from '../../src/http/server/body-reader';

export const VALID =
  '"recipient_id":"rcp_1","recipient_version_id":"rcv_1","payment":{"amount":"1"},"policy":{"requires_user_approval":true}';

/** How a body is built: what its keys and values look like, and where they are placed. */
export type Recipe = Readonly<{
  letters: string;
  length: number;
  value: string;
  place: number;
  depth: number;
  /** Repeats the same key, as JSON allows. */
  isSame: boolean;
  /** As many keys as bytes allow, although a body may not have so many. */
  isCrowded: boolean;
}>;

/** Every character of a range, so that no body has the same one twice. */
const range = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join('');

export const LETTERS = [
  // In two, three and four bytes each: nearly all that have a name.
  range(0xa1, 0x7ff),
  range(0x800, 0x33ff),
  range(0x4e00, 0x9fff),
  range(0xa000, 0xd7ff),
  range(0xe000, 0xffff),
  range(0x10000, 0x1ffff),
  'abc',
  'aB',
  'a_',
  'to',
  'toж',
  'τοж',
  'αβγ',
  'memor',
  'lrn01',
  'à́',
  'ﷺ',
  '\\n',
  '\\u0000',
  'ɪs',
  'dest',
  '字',
  // Close to meaningful names, so that each needs a full comparison.
  'contractor',
  'memorTo',
  // The same, with as many words as fit.
  'contractor-ab-aB',
  'mEmori-aB-aB',
  'recipient_i',
  'agent-i',
  'private_ke',
  'seed',
  // Escaped, or longer in other Unicode normalization forms.
  '\\u0061',
  '각',
  'ﬃ㋿㍿',
  // Every other sign of another script: nothing is settled by a look at its first signs.
  'aαɪBбcγʀDдeεɴFfжgη',
  // Combining marks that normalization would reorder.
  '\u0345\u0327',
  '\uff9e\u0345',
];
export const VALUES = [
  '1',
  '"\\u0000"',
  '""',
  '1e999',
  '[]',
  '{}',
  '[[]]',
  '"x"',
  '"\\ud800"',
  '{"to":1}',
  '{"network":"x"}',
  'true',
  // Candidates for a private key: BIP-39 words that are not a phrase, a JWK without its private part.
  '"act add age ago aim air all any arm art ask bag bar"',
  `"${'{\\"kty\\":\\"OKP\\",'.repeat(3)}"`,
  // Deep and wide values, and numbers that cannot be represented.
  '[[[[[[]]]]]]',
  `[${'[],'.repeat(200)}[]]`,
  '9'.repeat(400),
  `"${'\\u0041'.repeat(20)}"`,
  // Text in the shape of keys, but not keys.
  `"S${'ABCD2345'.repeat(7).slice(1)}"`,
  `"5${'Kb8kLf9zgW'.repeat(5)}"`,
  `"${'4vJ9JU1bJJE'.repeat(8)}"`,
  `[${Array.from({ length: 64 }, (_, at) => at * 5).join(',')}]`,
  `"[${Array.from({ length: 32 }, (_, at) => at).join(',')}]"`,
];
export const PLACES = ['', ',"metadata":{', ',"display":{', ',"payment":{', ',"network":{', ',"source":{"x":[{'];
const ENDS = ['', '}', '}', '}', '}', '}]}'];

/** All that a body of 64 KiB may need, in as few characters as its index would take. */
const SUFFIXES = 36 ** 3;

/** Those outside the parts: of a valid body, the place and the depth. */
const OTHER_ENTRIES = 40;

/** As they are counted: a comma or an opening bracket is one, unless it is text. */
const entriesIn = (value: string): number =>
  value.replaceAll(/"(?:\\.|[^"\\])*"/g, '').replaceAll(/[^,[{]/g, '').length;

/** Of so many characters, each key has others. */
const MANY = 1_000;

/** With another `round` the keys are others: the engine finds a key faster that it has met before. */
export function bodyOf({ letters, length, value, place, depth, isSame, isCrowded }: Recipe, round = 0): Buffer {
  const signs = letters.startsWith('\\') ? [letters] : [...letters];
  const open = `{${VALID}${PLACES[place] || ','}${'"d":{'.repeat(depth)}`;
  const close = `${'}'.repeat(depth)}${ENDS[place]}}`;
  const parts: string[] = [];
  const most = isCrowded ? Infinity : (MAX_ENTRIES - OTHER_ENTRIES) / (1 + entriesIn(value));
  let bytes = Buffer.byteLength(open + close);
  for (let index = 0; index < most; index += 1) {
    const first = signs.length > MANY ? (round * 7_919 + index) * length : index;
    const name = Array.from({ length }, (_, at) => signs[(first + at) % signs.length]).join('');
    const suffix = ((index * 7_919 + round * 10_007) % SUFFIXES).toString(36);
    const part = `"${name}${isSame ? '' : suffix}":${value}`;
    bytes += Buffer.byteLength(part) + 1;
    if (bytes > MAX_BODY_BYTES) break;
    parts.push(part);
  }
  return Buffer.from(`${open}${parts.join(',')}${close}`);
}
