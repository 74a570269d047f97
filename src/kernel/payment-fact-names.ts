import { asTaken, inLatin } from './look-alikes';

/**
 * Names under which somebody could try to say who is paid. In free-form objects they are refused, whatever their case,
 * separators and letters look like: a wallet or a person reading `wallet_address` in an order's details might believe it.
 *
 * A name is looked at in three ways: as words at case changes and separators (`payTo`, `pay-to`), as words at separators
 * alone (`mEmO_text`), and as one word without any (`ad_dress`); the longer ones also as what they may be taken for (`lssuer`,
 * `rnerno`). Rather one name too many than one too few: a caller who
 * meant well renames a field, a payer who was misled loses money. So `time_to_live` and `ip_address` are refused as well.
 */

/** Refused wherever they turn up inside a word: no other English word holds them. */
const TELLING = ['address', 'destination', 'recipient', 'payee', 'beneficiar'];

/** Refused at a word's beginning or end (`memoid`, `tokencontract`), but for the words in UNRELATED. */
const AFFIXES = ['addr', 'memo', 'contract', 'contracts', 'issuer', 'issuers', 'receiver', 'receivers'];
const UNRELATED = /^(?:memo(?:r(?!and)|i(?!d))|contract(?:or|ual|ed|ing|ion|ile))/;

/** Refused as whole words only: `to` is inside too many others. */
const WHOLE = new Set([
  ...['to', 'dest', 'dests', 'desttag', 'destid', 'destaccount', 'destwallet', 'toaccount', 'towallet', 'toid'],
  ...['payto', 'paidto', 'sendto', 'transferto', 'depositto', 'remitto', 'forwardto', 'withdrawto', 'payoutto'],
]);

/** What is not split at case changes must be one of these: it may hold another by accident, as `issueReason` does. */
const JOINED = new Set(
  [...WHOLE, ...AFFIXES, 'memos'].flatMap((name) => [name, `${name}id`, `${name}ids`, `${name}account`]),
);

/** What else a payment's facts are called. In an order's details these are harmless, beside the amount they are not. */
const FACTS = new Set([
  ...['rail', 'rails', 'network', 'networks', 'asset', 'assets', 'decimal', 'decimals', 'currency', 'coin'],
  ...['chain', 'chains', 'chainid', 'blockchain', 'assetcode', 'networkid', 'assetid'],
]);

/** No name is meant that has none of these in its letters. */
const HINT =
  /^to$|to(?:id|account|wallet)|(?:pay|paid|send|transfer|deposit|remit|forward|withdraw|payout)to|addr|dest|memo|contract|issuer|receiver|recipient|payee|beneficiar/gm;
/** The one short name, by itself between others. */
const TO = /(?:^|[^a-z\x80-\uffff])to(?![a-z\x80-\uffff])|T[oO](?![a-z\x80-\uffff])|tO/g;
const FACT_HINT = new RegExp(`${HINT.source}|rail|network|asset|decimal|currency|coin|chain`, 'gm');
const AFFIX = new RegExp(`^(?:${AFFIXES.join('|')})|(?:${AFFIXES.join('|')})$`);
const TELLS = new RegExp(TELLING.join('|'));
/** Long enough that nobody means anything else by them, even where a letter is another than it seems. */
const TAKEN_FOR = new RegExp(
  `^(?:${AFFIXES.filter((name) => name.length > 4).join('|')}|memos?)$|${TELLING.join('|')}`,
  'gm',
);

// What is not ASCII by now is a letter.
const NOT_LETTERS = /[\x00-\x09\x0b-\x60\x7b-\x7f]+/g;
const NEITHER_LETTERS_NOR_DIGITS = /[^a-z01|\n]+/g;
/** Where the case changes: `payTo` is two words, and so is `XMLAddress`. */
const CASED_WORDS = /[A-Z]+(?![a-z\x80-\uffff])|[A-Z]?[a-z\x80-\uffff]+/g;
const WORDS = /[a-z\x80-\uffff]+/g;

/** Whether a key of a free-form object means an address, a memo, a contract, an issuer or who is paid. */
export const namesPayee = (key: string): boolean => payeesAmong([key], 1).length > 0;

/** Whether a key means any of the facts that are fixed in a recipient version. */
export const namesPaymentFact = (key: string): boolean => factsAmong([key], 1).length > 0;

/** Which of the keys do, by their places; the first `most` of them. */
export const payeesAmong = (keys: readonly string[], most: number): readonly number[] =>
  placesOf(keys, most, HINT, meansPayee);

export const factsAmong = (keys: readonly string[], most: number): readonly number[] =>
  placesOf(keys, most, FACT_HINT, meansFact);

type Name = Readonly<{ text: string; joined: string }>;

/**
 * All keys at once, as lines of one text: a body may bring ten thousand of them, and what is done to each by itself costs a
 * hundred times what is done to all together.
 */
function placesOf(
  keys: readonly string[],
  most: number,
  hint: RegExp,
  means: (name: Name) => boolean,
): readonly number[] {
  if (keys.length === 0) return [];
  const whole = (keys.some(hasLineEnd) ? keys.map(onOneLine) : keys).join('\n');
  const text = /^[\x00-\x7f]*$/.test(whole) ? whole : inLatin(whole);
  const small = text.toLowerCase();
  const joined = small.replace(NOT_LETTERS, '');
  const taken = new Set(linesWith(TAKEN_FOR, asTaken(small.replace(NEITHER_LETTERS_NOR_DIGITS, '')), most));
  const hinted = new Set([...linesWith(hint, joined), ...linesWith(TO, text), ...taken]);
  if (hinted.size === 0) return [];
  const [texts, joineds] = [text.split('\n'), joined.split('\n')];
  const found: number[] = [];
  for (const at of Uint32Array.from(hinted).sort()) {
    if (found.length === most) break;
    if (taken.has(at) || means({ text: texts[at] ?? '', joined: joineds[at] ?? '' })) found.push(at);
  }
  return found;
}

/** The numbers of the lines in which it is found, by one search through all of them; the first `most`. */
function linesWith(searched: RegExp, text: string, most = Infinity): readonly number[] {
  const lines: number[] = [];
  let [line, end] = [0, text.indexOf('\n')];
  searched.lastIndex = 0;
  while (lines.length < most && searched.test(text)) {
    for (; end !== -1 && end < searched.lastIndex; end = text.indexOf('\n', end + 1)) line += 1;
    lines.push(line);
    // What else is in this line says no more.
    if (end === -1) break;
    searched.lastIndex = end;
  }
  return lines;
}

const hasLineEnd = (key: string): boolean => key.includes('\n');
const onOneLine = (key: string): string => (hasLineEnd(key) ? key.replaceAll('\n', ' ') : key);

const meansPayee = (name: Name): boolean => saysPayee(name, wordsOf(name));

function meansFact(name: Name): boolean {
  const found = wordsOf(name);
  return (
    FACTS.has(name.joined) ||
    found.cased.some((word) => FACTS.has(word)) ||
    found.plain.some((word) => FACTS.has(word)) ||
    saysPayee(name, found)
  );
}

type Words = Readonly<{ cased: readonly string[]; plain: readonly string[] }>;

const saysPayee = ({ joined }: Name, { cased, plain }: Words): boolean =>
  JOINED.has(joined) ||
  TELLS.test(joined) ||
  cased.some((word) => WHOLE.has(word) || (AFFIX.test(word) && !UNRELATED.test(word))) ||
  plain.some((word) => JOINED.has(word));

/** Both ways to part it, each looked for once; without a capital they are the same. */
function wordsOf({ text }: Name): Words {
  const small = text.toLowerCase();
  const plain = small.match(WORDS) ?? [];
  return { plain, cased: small === text ? plain : (text.match(CASED_WORDS) ?? []).map((word) => word.toLowerCase()) };
}
