import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import confusables from 'unhomoglyph/data.json';
import { payeesAmong, namesPayee, namesPaymentFact } from './payment-fact-names';

const LISTED = ['address', 'to', 'destination', 'memo', 'contract', 'issuer', 'payee', 'recipient', 'recipient_id'];

describe('names that say who is paid', () => {
  it.each([
    ...LISTED,
    ...['payee_address', 'recipientId', 'recipient-id', 'RECIPIENT ID', 'destination-address', 'wallet_address'],
    ...['contractAddress', 'toAddress', 'to_addr', 'payTo', 'pay_to_account', 'send-to', 'sendto', 'payto', 'TO', 'tO'],
    ...[
      'addresses',
      'Address2',
      'address_line_1',
      'walletAddr',
      'dest',
      'destTag',
      'destination_tag',
      'memos',
      'memoId',
    ],
    ...[
      'memoid',
      'memoText',
      'payment_memo',
      'paymentmemo',
      'memorandum',
      'contracts',
      'smartContract',
      'tokencontract',
    ],
    ...[
      'contract_id',
      'issuerId',
      'assetIssuer',
      'assetissuer',
      'issuers',
      'payees',
      'payeeName',
      'recipients',
      'receiver',
    ],
    ...[
      'beneficiary',
      'beneficiaries',
      'addressee',
      'time_to_live',
      'ip_address',
      'shippingAddress',
      'ad_dress',
      'm.e.m.o',
    ],
    ...[
      't_o',
      'is-suer',
      'aDdReSs',
      'mEmO_text',
      'wallet.a.d.d.r.e.s.s',
      'recipient\u200bId',
      'add\u00adress',
      'àddréss',
    ],
    ...[
      'ａｄｄｒｅｓｓ',
      '𝐦𝐞𝐦𝐨',
      'ⓣⓞ',
      'аddress',
      'ΤΟ',
      'mемo',
      'tо',
      'ᴀddress',
      'memo\u115f',
      ' to ',
      '$to',
      'to[]',
      'to1',
    ],
  ])('refuses %j', (key) => expect(namesPayee(key)).toBe(true));

  it.each([
    ...[
      'total',
      'subtotal',
      'token',
      'token_count',
      'tokens',
      'customer_note',
      'history',
      'photo',
      'autoRenew',
      'crypto',
    ],
    ...[
      'tomorrow',
      'topic',
      'tool',
      'top_up',
      'story',
      'stock',
      'into',
      'custom',
      'customer',
      'store',
      'motto',
      'vetoed',
    ],
    ...[
      'memory',
      'memoryMb',
      'memorable',
      'memoir',
      'memoized',
      'member',
      'contractor',
      'contractual_hours',
      'contact',
    ],
    ...[
      'issue',
      'issue_ref',
      'issueReason',
      'issued_at',
      'tissue',
      'payload',
      'payment_method',
      'paid_at',
      'pay_cycle',
    ],
    ...['receipt', 'received_at', 'recipe', 'dress_size', 'additional', 'add_on', 'destroyed', 'destiny', 'redirect'],
    ...['order_id', 'invoice', 'title', 'items', 'label', 'value', 'sku', 'quantity', 'agent_id', 'merchant_name', ''],
    ...['адрес', '住所', '123', '...', '🙂'],
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
    ...['ɪssuer', 'ᴄontract', 'ᴍᴇᴍᴏ', 'аddress', 'ｒecipient', '𝐩𝐚𝐲𝐞𝐞', 'рayee', 'Ⲓssuer', 'ꓲssuer', 'ᏼeneficiary'],
    ...['lssuer', '1ssuer', '|ssuer', 'rnemo', 'rnerno', 'c0ntract', 'destinati0n', 'reciplent', 'ɪ_ssuer', 'toЖ'],
  ])('are seen through in %j', (key) => expect(namesPayee(key)).toBe(true));

  it.each([
    'corner',
    'l0',
    'total',
    'tool',
    'return',
    'internal',
    'τιμή',
    'λόγος',
    'количество',
    'ｓku',
    '数量',
    'coiln',
    'ill',
  ])('are not suspected in %j', (key) => expect(namesPayee(key)).toBe(false));

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
      expect(payeesAmong(['pаyee аddress', fresh], Infinity)).toEqual([0]);
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
