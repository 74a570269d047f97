import fc from 'fast-check';
import { namesPayee, namesPaymentFact } from './payment-fact-names';

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
