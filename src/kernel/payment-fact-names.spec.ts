import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import confusables from 'unhomoglyph/data.json';
import { payeesAmong, namesPayee, namesPaymentFact } from './payment-fact-names';

const LISTED = ['address', 'to', 'destination', 'memo', 'contract', 'issuer', 'payee', 'recipient', 'recipient_id'];

describe('names that say who is paid', () => {
  it.each([
    ...LISTED,
    ...['account', 'wallet', 'payment_uri', 'PaymentUri', 'recipientId', 'recipient-id', 'RECIPIENT ID'],
    ...['walletAddress', 'Pay-To', 'pay_to', 'TO', 'tO', 't_o', 'ad_dress', 'm.e.m.o', 'is-suer', 'aDdReSs'],
    ...['recipient\u200bId', 'add\u00adress', 'àddréss', ' to ', '$to', 'to[]', 'memo\u115f'],
    ...['ａｄｄｒｅｓｓ', '𝐦𝐞𝐦𝐨', 'ⓣⓞ', 'аddress', 'ΤΟ', 'mемo', 'tо', 'ᴀddress'],
  ])('refuses %j', (key) => expect(namesPayee(key)).toBe(true));

  it.each([
    ...['shipping_address', 'email_address', 'ip_address', 'address_line_1', 'address2', 'addressee', 'addresses'],
    ...['account_manager', 'accounting', 'discount', 'wallets_sold', 'contract_number', 'contractor', 'smartContract'],
    ...['memory', 'memorandum', 'memo_count', 'issue', 'issuer_bank', 'payees', 'recipient_count', 'time_to_live'],
    ...['total', 'subtotal', 'token', 'history', 'photo', 'tomorrow', 'to_do', 'into', 'customer', 'destiny'],
    ...['order_id', 'invoice', 'title', 'items', 'label', 'value', 'sku', 'quantity', 'agent_id', 'merchant_name', ''],
    ...['адрес', '住所', '123', '...', '🙂', 'τιμή', '数量'],
  ])('lets %j pass', (key) => expect(namesPayee(key)).toBe(false));

  it('sees through any case and any separators', () => {
    const separator = fc.stringMatching(/^[ _.:/$\u200b\u00ad-]{0,2}$/);
    const spelling = fc
      .constantFrom(...LISTED)
      .chain((name) =>
        fc
          .tuple(
            ...[...name].map((letter) =>
              fc
                .tuple(fc.boolean(), separator)
                .map(([upper, after]) => (upper ? letter.toUpperCase() : letter) + after),
            ),
          )
          .map((letters) => letters.join('')),
      );
    fc.assert(fc.property(spelling, (key) => namesPayee(key)));
  });
});

describe('names with look-alike letters', () => {
  it.each([
    'ɪssuer',
    'ᴄontract',
    'ᴍᴇᴍᴏ',
    'аddress',
    'ｒecipient',
    '𝐩𝐚𝐲𝐞𝐞',
    'рayee',
    'Ⲓssuer',
    'ꓲssuer',
    'ᏼeneficiary',
    'ɪ_ssuer',
  ])('are seen through in %j', (key) => expect(namesPayee(key)).toBe(true));

  it('are seen through whichever letter is replaced by any that Unicode says is confusable with it', () => {
    const missed: string[] = [];
    let tried = 0;
    for (const [sign, like] of Object.entries(confusables as Readonly<Record<string, string>>)) {
      if (/^[\x00-\x7f]/.test(sign) || !/^[a-z]$/i.test(like)) continue;
      for (const name of ['address', 'contract', 'issuer', 'recipient', 'destination', 'beneficiary']) {
        const at = name.indexOf(like.toLowerCase());
        if (at === -1) continue;
        tried += 1;
        const key = `${name.slice(0, at)}${sign}${name.slice(at + 1)}`;
        if (!namesPayee(key)) missed.push(key);
      }
    }
    expect(tried).toBeGreaterThan(1_000);
    expect(missed).toEqual([]);
  });

  it('are seen through however many other characters are cached, and whenever the cache is cleared', () => {
    const first = 0x20000;
    for (let from = first; from < first + 90_000; from += 500) {
      const fresh = String.fromCodePoint(...Array.from({ length: 500 }, (_, at) => from + at));
      expect(payeesAmong(['pаyee_аddress', fresh], Infinity)).toEqual([0]);
    }
  });

  it('are found at the same positions in a list as one by one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...LISTED, 'a\nto', 'ɪssuer'))),
        (keys) => {
          const places = keys.flatMap((key, at) => (namesPayee(key) ? [at] : []));
          expect(payeesAmong(keys, Infinity)).toEqual(places);
          expect(payeesAmong(keys, 2)).toEqual(places.slice(0, 2));
        },
      ),
    );
  });
});

describe('names of payment facts', () => {
  it.each([
    'network',
    'Network',
    'rail',
    'asset',
    'assetCode',
    'decimals',
    'chain_id',
    'chainId',
    'CHAINID',
    'currency',
    'to',
    'payee',
  ])('knows %j', (key) => expect(namesPaymentFact(key)).toBe(true));
  it.each(['amount', 'note', 'reference', 'token', 'expires_at', 'policy', 'source', 'version'])(
    'does not mean %j',
    (key) => expect(namesPaymentFact(key)).toBe(false),
  );
});
