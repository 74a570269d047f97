import { Asset, Keypair, Memo, Networks, xdr } from '@stellar/stellar-base';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { startHorizon } from '../../../test/support/horizon';
import {
  assetEvent,
  contractCall,
  createAccount,
  inLedger,
  type LedgerOperation,
  type LedgerOptions,
  type LedgerTransaction,
  manageData,
  olderMetadataOf,
  pathPayment,
  PAYER,
  payment,
  SOME_CONTRACT,
  stroops,
  USDC,
  withId,
} from '../../../test/support/stellar-ledger';
import { startStellarRpc } from '../../../test/support/stellar-rpc';
import { type Resolver } from '../../platform/egress/resolver';
import { HorizonWitness } from './horizon-witness';
import { NetworkServer } from './network-server';
import { RpcWitness } from './rpc-witness';
import { type SettledTransfer, type SettlementWitness, type Sighting } from './witness.port';

const KEY = 'a-key-of-the-provider';
const PAYEE = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
/** The account above and id 1234, from the specification of muxed accounts (SEP-23). */
const MUXED = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const ISSUER = USDC.getIssuer();
const payer = PAYER.publicKey();
const closedAt = '2030-01-01T12:00:00Z';

type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void;
type Double = Readonly<{
  witness: SettlementWitness;
  host: string;
  requests: () => number;
  put: (transaction: LedgerTransaction, changes?: Record<string, unknown>) => void;
  misbehave: (hash: string, answering: Misbehaviour) => void;
  stop: () => Promise<void>;
}>;

const serverAt = (url: string, timeoutMs = 5_000): NetworkServer =>
  new NetworkServer({
    url: `${url}/${KEY}?apikey=${KEY}`,
    resolver: {} as Resolver,
    policy: { allowPrivateNetworks: true, ownHosts: [] },
    timeoutMs,
  });

async function horizon(): Promise<Double> {
  const { url, asked, put, misbehave, stop } = await startHorizon({ under: `/${KEY}` });
  const witness = new HorizonWitness(serverAt(url), Networks.TESTNET);
  return { witness, host: new URL(url).host, requests: () => asked.length, put, misbehave, stop };
}

async function rpc(): Promise<Double> {
  const { url, asked, close, misbehave, stop } = await startStellarRpc();
  const witness = new RpcWitness(serverAt(url), Networks.TESTNET);
  return { witness, host: new URL(url).host, requests: () => asked.length, put: close, misbehave, stop };
}

const signal = new AbortController().signal;
const answer =
  (status: number, headers: Record<string, string> = {}, body = '{}'): Misbehaviour =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

describe.each([
  ['Horizon', horizon],
  ['Stellar RPC', rpc],
])('a witness that asks %s', (name, start) => {
  let double: Double;
  beforeEach(async () => void (double = await start()));
  afterEach(() => double.stop());

  const look = (hash: string): Promise<Sighting> => double.witness.look(hash, signal);
  const found = async (operations: readonly LedgerOperation[], options: LedgerOptions = {}) => {
    const transaction = inLedger(operations, { closedAt, ...options });
    double.put(transaction);
    const sighting = await look(transaction.innerHash ?? transaction.ledgerHash);
    if (sighting.kind !== 'found') throw new Error(JSON.stringify(sighting));
    return sighting.transaction;
  };
  const transfers = async (...operations: LedgerOperation[]) => (await found(operations)).transfers;
  const paid: SettledTransfer = {
    operation: 0,
    transfer: 0,
    from: payer,
    destination: PAYEE,
    asset: 'XLM',
    issuer: null,
    amount: '12.5',
  };

  it('reads an ordinary payment', async () => {
    const transaction = inLedger([payment(PAYEE, '12.5000000')], { closedAt, ledger: 77, memo: Memo.text('order 7') });
    double.put(transaction);
    expect(await look(transaction.ledgerHash)).toEqual({
      kind: 'found',
      transaction: {
        ledgerHash: transaction.ledgerHash,
        innerHash: null,
        successful: true,
        ledger: 77,
        closedAt,
        memo: { isText: true, shown: 'order 7' },
        envelope: transaction.envelope,
        transfers: [paid],
      },
    });
  });

  it('finds a fee bump by its inner and its outer hash, and names both', async () => {
    const sponsor = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9));
    const transaction = inLedger([payment(PAYEE, '12.5')], { sponsor, closedAt });
    double.put(transaction);
    const { ledgerHash, innerHash } = transaction;
    for (const hash of [ledgerHash, innerHash ?? '']) {
      const sighting = await look(hash);
      expect(sighting).toMatchObject({ kind: 'found', transaction: { ledgerHash, innerHash, transfers: [paid] } });
    }
    expect(innerHash).not.toBe(ledgerHash);
  });

  it('numbers all operations, and names who paid by each', async () => {
    const other = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 5)).publicKey();
    expect(
      await transfers(
        manageData(),
        payment(PAYEE, '1.0000001', { asset: USDC, from: other }),
        createAccount(PAYEE, '20'),
        payment(MUXED, '12.5'),
      ),
    ).toEqual([
      { ...paid, operation: 1, from: other, asset: 'USDC', issuer: ISSUER, amount: '1.0000001' },
      { ...paid, operation: 2, amount: '20' },
      { ...paid, operation: 3 },
    ]);
  });

  it.each(['send', 'receive'] as const)(
    'counts a path payment (%s) by what arrived, and nothing of what was traded on the way',
    async (kind) => {
      const operation = pathPayment(kind, PAYEE, '3.5', { traded: '12.5' });
      expect(await transfers(manageData(), operation)).toEqual([{ ...paid, operation: 1, amount: '3.5' }]);
      const sponsor = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9));
      expect((await found([operation], { sponsor })).transfers).toEqual([{ ...paid, amount: '3.5' }]);
    },
  );

  it.each([
    [Memo.id('7'), 'id 7'],
    [Memo.hash('ab'.repeat(32)), `hash ${Buffer.alloc(32, 0xab).toString('base64')}`],
    [Memo.return('ab'.repeat(32)), `return ${Buffer.alloc(32, 0xab).toString('base64')}`],
  ])('shows a memo that is no text', async (memo, shown) =>
    expect((await found([payment(PAYEE, '1')], { memo })).memo).toEqual({ isText: false, shown }),
  );

  it('reports what failed', async () => {
    const operations = [
      payment(PAYEE, '12.5'),
      pathPayment('send', PAYEE, '3.5', { failed: true }),
      pathPayment('receive', PAYEE, '3.5'),
    ];
    const transaction = await found(operations, { successful: false });
    expect(transaction).toMatchObject({
      successful: false,
      transfers: [paid, { ...paid, operation: 1, amount: '0' }, { ...paid, operation: 2, amount: '3.5' }],
    });
    const call = contractCall(assetEvent(USDC, ['transfer', payer, PAYEE], 5n));
    expect(await found([call], { successful: false })).toMatchObject({ successful: false, transfers: [] });
  });

  describe('about a contract that was called', () => {
    const wallet = SOME_CONTRACT;
    const five = stroops('5');
    const token = { asset: 'USDC', issuer: ISSUER, amount: '5', memo: null };
    const events = (...list: xdr.ContractEvent[]) => transfers(contractCall(...list));

    it('reads the transfers of an asset by its own contract, in their order', async () =>
      expect(
        await events(
          assetEvent(USDC, ['transfer', wallet, PAYEE], five),
          assetEvent(Asset.native(), ['transfer', wallet, PAYEE], stroops('12.5')),
          assetEvent(USDC, ['transfer', payer, wallet], 1n),
          assetEvent(USDC, ['transfer', payer, PAYEE], 1n),
        ),
      ).toEqual([
        { ...paid, ...token, from: wallet },
        { ...paid, from: wallet, memo: null },
        { ...paid, ...token, destination: wallet, amount: '0.0000001' },
        { ...paid, ...token, transfer: 1, amount: '0.0000001' },
      ]));

    it('believes no other contract, whatever it says', async () => {
      const other = new Asset('USDC', payer);
      expect(
        await events(
          assetEvent(USDC, ['transfer', payer, PAYEE], five, SOME_CONTRACT),
          assetEvent(USDC, ['transfer', payer, PAYEE], five, other.contractId(Networks.TESTNET)),
          // The asset's contract on the other network has another id.
          assetEvent(USDC, ['transfer', payer, PAYEE], five, USDC.contractId(Networks.PUBLIC)),
        ),
      ).toEqual([]);
      expect(await events(assetEvent(other, ['transfer', wallet, PAYEE], five))).toEqual([
        { ...paid, ...token, from: wallet, issuer: payer },
      ]);
    });

    it('takes what the issuer pays, and nothing of what else happens to the asset', async () =>
      expect(
        await events(
          assetEvent(USDC, ['mint', PAYEE], five),
          // As it was written before protocol 23.
          assetEvent(USDC, ['mint', payer, PAYEE], five),
          assetEvent(USDC, ['burn', PAYEE], five),
          assetEvent(USDC, ['clawback', PAYEE], five),
          assetEvent(USDC, ['approve', PAYEE, wallet], five),
        ),
      ).toEqual([
        { ...paid, ...token, from: ISSUER },
        { ...paid, ...token, from: ISSUER, transfer: 1 },
      ]));

    it.each([
      ['a text', xdr.ScVal.scvString('order 7'), { isText: true, shown: 'order 7' }],
      ['a number', xdr.ScVal.scvU64(new xdr.Uint64(7)), { isText: false, shown: 'id 7' }],
      ['bytes', xdr.ScVal.scvBytes(Buffer.alloc(3)), { isText: false, shown: 'hash AAAA' }],
    ])('takes for its memo what comes with the address: %s', async (_what, id, memo) =>
      expect(await events(assetEvent(USDC, ['transfer', wallet, PAYEE], withId(five, id)))).toEqual([
        { ...paid, ...token, from: wallet, memo },
      ]),
    );

    it.each([
      ['no amount', xdr.ScVal.scvVoid()],
      ['less than nothing', xdr.ScVal.scvI128(new xdr.Int128Parts({ hi: new xdr.Int64(-1), lo: new xdr.Uint64(0) }))],
      ['an amount that is text', xdr.ScVal.scvString('5')],
      ['an id of an unknown kind', withId(five, xdr.ScVal.scvBool(true))],
    ])('is unclear where the asset itself names %s', async (_what, data) => {
      const transaction = inLedger([contractCall(assetEvent(USDC, ['transfer', wallet, PAYEE], data))]);
      double.put(transaction);
      expect(await look(transaction.ledgerHash)).toEqual({
        kind: 'unclear',
        reason: expect.stringMatching(/^its event/),
      });
    });

    it('reads the events of older servers out of the metadata', async () => {
      const call = contractCall(assetEvent(USDC, ['transfer', wallet, PAYEE], five));
      for (const metadata of [olderMetadataOf(call), undefined]) {
        const transaction = inLedger([call]);
        const meta = metadata === undefined ? {} : { result_meta_xdr: metadata, resultMetaXdr: metadata };
        double.put(transaction, { ...meta, events: undefined });
        expect(await look(transaction.ledgerHash)).toMatchObject({
          kind: 'found',
          transaction: { transfers: [{ ...paid, ...token, from: wallet }] },
        });
      }
    });

    it.each([
      ['keeps no events', { result_meta_xdr: null, resultMetaXdr: null }, /no events/],
      ['keeps empty metadata', { result_meta_xdr: 'AAAAAAAAAAA=', resultMetaXdr: 'AAAAAAAAAAA=' }, /no events/],
      ['answers metadata of another time', { result_meta_xdr: 'AAAACQ==', resultMetaXdr: 'AAAACQ==' }, /decoded/],
    ])('is unclear, and says why, where the server %s', async (_what, changes, why) => {
      const transaction = inLedger([contractCall(assetEvent(USDC, ['transfer', wallet, PAYEE], five))]);
      double.put(transaction, { ...changes, events: undefined });
      expect(await look(transaction.ledgerHash)).toEqual({ kind: 'unclear', reason: expect.stringMatching(why) });
    });
  });

  it('does not find what the server does not know, nor asks for what no transaction is called', async () => {
    expect(await look('ab'.repeat(32))).toEqual({ kind: 'not_found' });
    const before = double.requests();
    for (const hash of ['AB'.repeat(32), `${'ab'.repeat(31)}aB`, `0x${'ab'.repeat(31)}`, ''])
      expect(await look(hash)).toEqual({ kind: 'not_found' });
    expect(double.requests()).toBe(before);
  });

  it('is unclear about a transaction that goes by another hash', async () => {
    const [one, other] = [inLedger([payment(PAYEE, '1')]), inLedger([payment(PAYEE, '2')])];
    const lie = { horizon: () => other.horizon(other.ledgerHash), rpc: () => other.rpc(one.ledgerHash) };
    double.put({ ...one, ...lie });
    expect(await look(one.ledgerHash)).toEqual({ kind: 'unclear', reason: 'it is about another transaction' });
  });

  it.each([
    ['an error', answer(500), 'HTTP 500'],
    ['a redirect', answer(302, { location: 'https://elsewhere.example' }), 'HTTP 302'],
    ['no JSON', answer(200, {}, '<html>'), 'it is not JSON'],
    ['too much', answer(200, {}, `{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`), 'it is too long'],
    ['nothing', answer(200, {}, 'null'), 'it is not the object that was expected'],
    ['a broken connection', (request: IncomingMessage) => void request.socket.destroy(), 'reset'],
  ])('is unclear where the server answers %s', async (_what, misbehaviour, reason) => {
    double.misbehave('ab'.repeat(32), misbehaviour);
    expect(await look('ab'.repeat(32))).toEqual({ kind: 'unclear', reason });
  });

  it('is unclear where the server takes too long', async () => {
    double.misbehave('ab'.repeat(32), () => undefined);
    const url = `http://${double.host}`;
    const adapter = name === 'Horizon' ? HorizonWitness : RpcWitness;
    const hasty = new adapter(serverAt(url, 100), Networks.TESTNET);
    expect(await hasty.look('ab'.repeat(32), signal)).toEqual({ kind: 'unclear', reason: 'timeout' });
  });

  describe('that wants to be left alone', () => {
    it.each([
      ['429 with Retry-After', answer(429, { 'retry-after': '7' }), 7_000],
      ['503 with Retry-After', answer(503, { 'retry-after': '7' }), 7_000],
      ['429 alone', answer(429), 5_000],
      ['429 with a pause of nothing', answer(429, { 'retry-after': '0' }), 1_000],
      ['429 with an endless pause', answer(429, { 'retry-after': '999999999' }), 600_000],
    ])('is not asked again: %s', async (_what, misbehaviour, pauseMs) => {
      const transaction = inLedger([payment(PAYEE, '12.5')]);
      double.put(transaction);
      double.misbehave('ab'.repeat(32), misbehaviour);
      const refused = await look('ab'.repeat(32));
      expect(refused).toEqual({ kind: 'unclear', reason: expect.any(String), retryAfterMs: expect.any(Number) });
      const before = double.requests();
      const next = await look(transaction.ledgerHash);
      expect(next).toMatchObject({ kind: 'unclear' });
      expect(double.requests()).toBe(before);
      for (const { retryAfterMs } of [refused, next] as { retryAfterMs: number }[]) {
        expect(retryAfterMs).toBeLessThanOrEqual(pauseMs);
        expect(retryAfterMs).toBeGreaterThan(pauseMs - 900);
      }
    });

    it('is asked again afterwards', async () => {
      const transaction = inLedger([payment(PAYEE, '12.5')]);
      double.put(transaction);
      double.misbehave('ab'.repeat(32), answer(429, { 'retry-after': '1' }));
      const refused = (await look('ab'.repeat(32))) as { retryAfterMs: number };
      await new Promise((resolve) => setTimeout(resolve, refused.retryAfterMs));
      expect(await look(transaction.ledgerHash)).toMatchObject({ kind: 'found' });
    });
  });

  it('shows the host alone', async () => {
    expect(double.witness.name).toBe(double.host);
    double.misbehave('ab'.repeat(32), answer(500));
    expect(JSON.stringify(await look('ab'.repeat(32)))).not.toContain(KEY);
  });
});

describe('a witness that asks Stellar RPC', () => {
  let double: Double;
  beforeEach(async () => void (double = await rpc()));
  afterEach(() => double.stop());
  const transaction = inLedger([pathPayment('send', PAYEE, '12.5')]);

  it.each([
    ['no outcome', { status: undefined }, /successful/],
    ['another outcome', { status: 'DUPLICATE' }, /successful/],
    ['another hash', { txHash: 'ab'.repeat(32) }, /another transaction/],
    ['no ledger', { ledger: 0 }, /ledger/],
    ['no closing time', { createdAt: undefined }, /closed/],
    ['a closing time in words', { createdAt: 'yesterday' }, /closed/],
    ['no envelope', { envelopeXdr: undefined }, /envelope/],
    ['an envelope that is no XDR', { envelopeXdr: 'AAAA' }, /its envelope cannot be decoded/],
    ['an envelope that is no base64', { envelopeXdr: '<xdr>' }, /base64/],
    ['no result', { resultXdr: undefined }, /result/],
    ['a result of another kind', { resultXdr: 'AAAAAAAAAGT////7AAAAAA==' }, /result/],
  ])('does not believe an answer with %s', async (_what, changes, reason) => {
    double.put(transaction, changes);
    const sighting = await double.witness.look(transaction.ledgerHash, signal);
    expect(sighting).toEqual({ kind: 'unclear', reason: expect.stringMatching(reason) });
  });

  it('takes a closing time that is a number', async () => {
    double.put(transaction, { createdAt: 1_893_456_000 });
    const sighting = await double.witness.look(transaction.ledgerHash, signal);
    expect(sighting).toMatchObject({ kind: 'found', transaction: { closedAt: '2030-01-01T00:00:00Z' } });
  });

  it('is unclear about an error of the protocol', async () => {
    const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: KEY } });
    double.misbehave('ab'.repeat(32), answer(200, {}, error));
    expect(await double.witness.look('ab'.repeat(32), signal)).toEqual({ kind: 'unclear', reason: 'error -32602' });
  });

  it('cannot decode who agreed to a call in a newer way, and says so', async () => {
    const call = inLedger([contractCall(assetEvent(USDC, ['transfer', payer, PAYEE], 5n))]);
    // The last thing in the envelope before the signature: no authorizations, ext 0. One of an unknown kind instead.
    const bytes = Buffer.from(call.envelope, 'base64');
    const signatures = 4 + 4 + 4 + 64;
    const head = bytes.subarray(0, bytes.length - signatures - 4 - 4);
    const newer = Buffer.concat([head, Buffer.from('0000000100000002', 'hex'), bytes.subarray(head.length + 4)]);
    double.put(call, { envelopeXdr: newer.toString('base64') });
    expect(await double.witness.look(call.ledgerHash, signal)).toEqual({
      kind: 'unclear',
      reason: 'its envelope cannot be decoded',
    });
  });
});
