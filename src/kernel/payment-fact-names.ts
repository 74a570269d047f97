import { asTaken, inLatin, lettersOf } from './look-alikes';

/**
 * Names that could be used to say who is paid. They are refused in free-form objects, in any case, with any separators
 * and in look-alike letters: a wallet or a person reading `wallet_address` in an order's details might believe it.
 *
 * A name is examined in three ways: split at case changes and separators (`payTo`, `pay-to`), split at separators alone
 * (`mEmO_text`), and joined into one word (`ad_dress`); the longer ones also as what they may be mistaken for
 * (`lssuer`, `rnerno`). A false positive is better than a false negative: an honest caller renames a field, a misled
 * payer loses money. So `time_to_live` and `ip_address` are refused as well.
 */

/** Refused anywhere inside a word: no other English word contains them. */
const PAYEE_WORDS = ['address', 'destination', 'recipient', 'payee', 'beneficiar'];

/** Refused at the beginning or end of a word (`memoid`, `tokencontract`), except for the words in UNRELATED. */
const AFFIXES = ['addr', 'memo', 'contract', 'contracts', 'issuer', 'issuers', 'receiver', 'receivers'];
const UNRELATED = /^(?:memo(?:r(?!and)|i(?!d))|contract(?:or|ual|ed|ing|ion|ile))/;

/** Refused as whole words only: `to` is part of too many others. */
const WHOLE_WORDS = new Set([
  ...['to', 'dest', 'dests', 'desttag', 'destid', 'destaccount', 'destwallet', 'toaccount', 'towallet', 'toid'],
  ...['payto', 'paidto', 'sendto', 'transferto', 'depositto', 'remitto', 'forwardto', 'withdrawto', 'payoutto'],
]);

/** A name not split at case changes must equal one of these: it may contain one by accident, as `issueReason` does. */
const JOINED = new Set(
  [...WHOLE_WORDS, ...AFFIXES, 'memos'].flatMap((name) => [name, `${name}id`, `${name}ids`, `${name}account`]),
);

/** Other names of payment facts. In an order's details these are harmless, next to the amount they are not. */
const FACTS = new Set([
  ...['rail', 'rails', 'network', 'networks', 'asset', 'assets', 'decimal', 'decimals', 'currency', 'coin'],
  ...['chain', 'chains', 'chainid', 'blockchain', 'assetcode', 'networkid', 'assetid'],
]);

/** A cheap filter: a name that does not match is harmless. */
const HINT =
  /^to$|to(?:id|account|wallet)|(?:pay|paid|send|transfer|deposit|remit|forward|withdraw|payout)to|addr|dest|memo|contract|issuer|receiver|recipient|payee|beneficiar/gm;
/** The word `to`, on its own. */
const TO = /(?:^|[^a-z\x80-\uffff])to(?![a-z\x80-\uffff])|T[oO](?![a-z\x80-\uffff])|tO/g;
const FACT_HINT = new RegExp(`${HINT.source}|rail|network|asset|decimal|currency|coin|chain`, 'gm');
const AFFIX = new RegExp(`^(?:${AFFIXES.join('|')})|(?:${AFFIXES.join('|')})$`);
const PAYEE_WORD = new RegExp(PAYEE_WORDS.join('|'));
/** Long enough to be unambiguous, even if a letter only resembles the real one. */
const PAYEE_LOOK_ALIKE = new RegExp(
  `^(?:${AFFIXES.filter((name) => name.length > 4).join('|')}|memos?)$|${PAYEE_WORDS.join('|')}`,
  'gm',
);

/** Whether a key of a free-form object means an address, a memo, a contract, an issuer or who is paid. */
export const namesPayee = (key: string): boolean => payeesAmong([key], 1).length > 0;

/** Whether a key means any of the facts that are fixed in a recipient version. */
export const namesPaymentFact = (key: string): boolean => factsAmong([key], 1).length > 0;

/** The positions of the keys that do; the first `most` of them. */
export const payeesAmong = (keys: readonly string[], most: number): readonly number[] =>
  placesOf(keys, most, HINT, meansPayee);

export const factsAmong = (keys: readonly string[], most: number): readonly number[] =>
  placesOf(keys, most, FACT_HINT, meansFact);

type Name = Readonly<{ text: string; joined: string }>;

/**
 * All keys at once, as lines of one text: a body may bring ten thousand of them, and handling each separately costs a
 * hundred times as much as handling all together.
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
  const joined = lettersOf(small);
  const marks = new Uint8Array(keys.length);
  const taken = asTaken(small);
  if (
    mark(marks, HINTED, hint, joined) +
      mark(marks, HINTED, TO, text) +
      mark(marks, LOOKS_LIKE_PAYEE, PAYEE_LOOK_ALIKE, taken) ===
    0
  )
    return [];
  const found: number[] = [];
  const [texts, joineds] = [lineAfterLine(text), lineAfterLine(joined)];
  for (let at = 0; at < marks.length && found.length < most; at += 1) {
    if (marks[at] === 0) continue;
    if (marks[at] === LOOKS_LIKE_PAYEE || means({ text: texts(at), joined: joineds(at) })) found.push(at);
  }
  return found;
}

/** Marks of a line: needs a full check, or is certain because it looks like a payee word. */
const HINTED = 1;
const LOOKS_LIKE_PAYEE = 2;

/** Marks the lines that contain a match, in one search through the whole text. Returns their number. */
function mark(marks: Uint8Array, as: number, searched: RegExp, text: string): number {
  let [line, end] = [0, text.indexOf('\n')];
  let count = 0;
  searched.lastIndex = 0;
  while (searched.test(text)) {
    for (; end !== -1 && end < searched.lastIndex; end = text.indexOf('\n', end + 1)) line += 1;
    marks[line] = as;
    count += 1;
    // Further matches in this line add nothing.
    if (end === -1) break;
    searched.lastIndex = end;
  }
  return count;
}

/** Returns lines by number, in ascending order: most are never requested, so the text is not split. */
function lineAfterLine(text: string): (at: number) => string {
  let [line, begin] = [0, 0];
  return (at) => {
    for (; line < at; line += 1) begin = text.indexOf('\n', begin) + 1;
    const end = text.indexOf('\n', begin);
    return text.slice(begin, end === -1 ? undefined : end);
  };
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
  JOINED.has(joined) || PAYEE_WORD.test(joined) || cased.some(isPayeeWord) || plain.some((word) => JOINED.has(word));

const isPayeeWord = (word: string): boolean => WHOLE_WORDS.has(word) || (AFFIX.test(word) && !UNRELATED.test(word));

/** Both ways to split a name, each computed once; without a capital they are the same. */
function wordsOf({ text }: Name): Words {
  const small = text.toLowerCase();
  const plain = meaningfulWords(small);
  return { plain, cased: small === text ? plain : meaningfulWords(text) };
}

/** The shortest name of a fact but for `to`: shorter words mean nothing, and a body may bring twenty thousand of them. */
const SHORTEST_NAME = 4;

/**
 * The words of a name in lower case, without those that are too short to mean anything. It is split at anything that is
 * no letter, and at case changes: `payTo` is two words, and so is `XMLAddress`.
 */
function meaningfulWords(text: string): readonly string[] {
  const words: string[] = [];
  const add = (begin: number, end: number): void => {
    if (end - begin >= SHORTEST_NAME) words.push(text.slice(begin, end).toLowerCase());
    else if (isTo(text, begin, end)) words.push('to');
  };
  for (let at = 0; at < text.length;) {
    const afterCapitals = endOf(isCapital, text, at);
    const end = endOf(isSmall, text, afterCapitals);
    if (end === afterCapitals) add(at, afterCapitals);
    else {
      // The last capital begins the next word.
      const begin = Math.max(at, afterCapitals - 1);
      add(at, begin);
      add(begin, end);
    }
    at = Math.max(end, at + 1);
  }
  return words;
}

const [SMALL_T, SMALL_O] = [0x74, 0x6f];
const isTo = (text: string, begin: number, end: number): boolean =>
  end - begin === 2 && (text.charCodeAt(begin) | 0x20) === SMALL_T && (text.charCodeAt(begin + 1) | 0x20) === SMALL_O;
const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;
/** What is not ASCII by now is a letter without case. */
const isSmall = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || code >= 0x80;

function endOf(belongs: (code: number) => boolean, text: string, begin: number): number {
  let at = begin;
  while (at < text.length && belongs(text.charCodeAt(at))) at += 1;
  return at;
}
