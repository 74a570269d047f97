/**
 * Names under which somebody could try to say who is paid. In free-form objects they are refused, whatever their case,
 * separators and letters look like: a wallet or a person reading `wallet_address` in an order's details might believe it.
 *
 * A name is looked at in three ways: as words at case changes and separators (`payTo`, `pay-to`), as words at separators
 * alone (`mEmO_text`), and as one word without any (`ad_dress`). Rather one name too many than one too few: a caller who
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

/** Letters of other scripts that look like Latin ones; what Unicode itself calls compatible is folded before. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  ['аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO', 'рp', 'РP', 'ѕs', 'ЅS']
    .concat(['тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt', 'ΤT', 'ρp'])
    .concat(['ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg', 'ꜱs', 'ᴛt', 'ᴏo', 'ᴍm', 'ᴇe', 'ᴀa', 'ᴅd', 'ʀr'])
    .map(([foreign = '', latin = '']) => [foreign, latin]),
);

/** Whether a key of a free-form object means an address, a memo, a contract, an issuer or who is paid. */
export function namesPayee(key: string): boolean {
  const { atCaseChanges, atSeparators, joined } = partsOf(key);
  return (
    atCaseChanges.some((word) => WHOLE.has(word) || AFFIXES.some((affix) => isAffix(affix, word))) ||
    [...atSeparators, joined].some((name) => JOINED.has(name)) ||
    TELLING.some((name) => joined.includes(name))
  );
}

/** Whether a key means any of the facts that are fixed in a recipient version. */
export const namesPaymentFact = (key: string): boolean => {
  const { atCaseChanges, atSeparators, joined } = partsOf(key);
  return namesPayee(key) || [...atCaseChanges, ...atSeparators, joined].some((name) => FACTS.has(name));
};

const isAffix = (affix: string, word: string): boolean =>
  (word.startsWith(affix) || word.endsWith(affix)) && !UNRELATED.test(word);

type Parts = Readonly<{ atCaseChanges: readonly string[]; atSeparators: readonly string[]; joined: string }>;

function partsOf(key: string): Parts {
  const plain = /^[\x20-\x7e]*$/.test(key) ? key : inLatin(key);
  const atSeparators = wordsIn(plain);
  const atCaseChanges = wordsIn(
    plain.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'),
  );
  return { atCaseChanges, atSeparators, joined: atSeparators.join('') };
}

const inLatin = (key: string): string =>
  key
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[^\x20-\x7e]/gu, (letter) => LOOKALIKES[letter] ?? letter);

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
