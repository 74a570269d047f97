import { NetworkAway, NetworkServer, type Submission } from './network-server';

const HASH = 'ab'.repeat(32);
const ISSUER = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';

type Asked = Readonly<{ url: string; init: RequestInit }>;

/** A server that answers everything like this. */
function answering(status: number, body: unknown) {
  const asked: Asked[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return new Response(JSON.stringify(body), { status });
  };
  const server = new NetworkServer({ url: 'https://horizon.example//', fetch: fetch as typeof globalThis.fetch });
  return { server, asked };
}
const submitted = (status: number, body: unknown): Promise<Submission> =>
  answering(status, body).server.submit('XDR', HASH);

describe('the network’s server', () => {
  it('is asked at its own address, for nothing that identifies the person', async () => {
    const { server, asked } = answering(404, {});
    await server.account('GABC');
    await server.find(HASH);
    await server.submit('A+B=', HASH);
    expect(asked.map(({ url }) => url)).toEqual([
      'https://horizon.example/accounts/GABC',
      `https://horizon.example/transactions/${HASH}`,
      'https://horizon.example/transactions',
    ]);
    for (const { init } of asked)
      expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' });
    expect(asked.at(-1)?.init).toMatchObject({ method: 'POST', body: 'tx=A%2BB%3D' });
  });

  it('says what an account holds, each asset with its issuer', async () => {
    const balances = [
      { balance: '5', asset_type: 'credit_alphanum4', asset_code: 'XLM', asset_issuer: ISSUER },
      { balance: '7.5', asset_type: 'native' },
      { balance: '1', asset_type: 'liquidity_pool_shares' },
      { balance: '2', asset_type: 'credit_alphanum4', asset_code: 'USDC' },
      { asset_type: 'native' },
    ];
    expect(await answering(200, { sequence: '12', balances }).server.account('GABC')).toEqual({
      sequence: '12',
      balances: [
        { amount: '5', asset: 'XLM', issuer: ISSUER },
        { amount: '7.5', asset: 'XLM' },
      ],
    });
    expect(await answering(404, {}).server.account('GABC')).toBeUndefined();
  });

  it.each([undefined, 12, '', '1e3'])('signs on no sequence number that is none: %j', async (sequence) => {
    await expect(answering(200, { sequence, balances: [] }).server.account('GABC')).rejects.toThrow(NetworkAway);
  });

  it('finds a transaction by its hash, and not another one', async () => {
    const found = (body: object) => answering(200, body).server.find(HASH);
    expect(await found({ hash: HASH, ledger: 7, successful: true })).toEqual({ ledger: 7, successful: true });
    expect(await found({ hash: HASH, ledger: 7, successful: false })).toEqual({ ledger: 7, successful: false });
    await expect(found({ hash: 'cd'.repeat(32), ledger: 7, successful: true })).rejects.toThrow(NetworkAway);
    await expect(found({ hash: HASH, successful: true })).rejects.toThrow(NetworkAway);
    expect(await answering(404, {}).server.find(HASH)).toBeUndefined();
    await expect(answering(503, {}).server.find(HASH)).rejects.toThrow(NetworkAway);
  });

  it('names the newest ledger’s close in seconds, and never takes silence for one', async () => {
    const closed = (records: unknown) => answering(200, { _embedded: { records } }).server.newestClose();
    expect(await closed([{ closed_at: '1970-01-01T00:01:00Z' }])).toBe(60);
    for (const records of [undefined, [], [{ closed_at: 'soon' }]])
      await expect(closed(records)).rejects.toThrow(NetworkAway);
  });

  it.each<[string, number, object, object]>([
    ['in a ledger', 200, { hash: HASH, ledger: 9, successful: true }, { kind: 'in_ledger', ledger: 9 }],
    ['in a ledger, without effect', 200, { hash: HASH, ledger: 9, successful: false }, { kind: 'refused' }],
    ['another one’s answer', 200, { hash: 'cd'.repeat(32), ledger: 9, successful: true }, { kind: 'unknown' }],
    ['no ledger', 200, { hash: HASH, successful: true }, { kind: 'unknown' }],
    ['taken', 201, { hash: HASH }, { kind: 'taken' }],
    ['taken, too', 202, { hash: HASH }, { kind: 'taken' }],
    ['no ledger in time', 504, {}, { kind: 'taken' }],
    ['away', 503, { extras: { result_codes: { transaction: 'tx_failed' } } }, { kind: 'unknown' }],
    ['too many', 429, {}, { kind: 'unknown' }],
    [
      'refused',
      400,
      { extras: { result_codes: { transaction: 'tx_failed', operations: ['op_underfunded'] } } },
      { kind: 'refused', code: 'tx_failed', operations: ['op_underfunded'] },
    ],
    [
      'unreadable to it',
      400,
      { type: 'https://stellar.org/horizon-errors/transaction_malformed' },
      { kind: 'refused', code: 'tx_malformed' },
    ],
  ])('says of a submission: %s', async (_, status, body, submission) => {
    expect(await submitted(status, body)).toMatchObject(submission);
  });
});
