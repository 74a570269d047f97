import { Asset, Keypair, type xdr } from '@stellar/stellar-base';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Horizon, paymentTo, startHorizon } from './support/horizon';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  eventsOfType,
  type PaymentScene,
  readPayment,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { issuedSecrets } from './support/secrets/issued-secrets';
import { startTestService, type TestService } from './support/service';
import {
  assetEvent,
  contractCall,
  inLedger,
  type LedgerTransaction,
  PAYER,
  payment,
  SOME_CONTRACT,
  stroops,
} from './support/stellar-ledger';
import { startStellarRpc, type StellarRpc } from './support/stellar-rpc';

const PAYEE = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const AMOUNT = '12.5000000';

async function confirmed(service: TestService, scene: PaymentScene, hash: string): Promise<string> {
  const { body } = await createPayment(service, scene);
  const id = body.payment_request.request_id as string;
  await reportPayment(service, scene, id, { status: 'signed' });
  await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: hash });
  await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash: hash });
  return id;
}

const finding = (service: TestService, scene: PaymentScene, id: string): Promise<Record<string, any>> =>
  eventually(
    async () => (await readPayment(service, scene, id)).body.payment_request.settlement,
    (seen) => seen !== null,
    'a finding',
  );

describeOnEachPair('a witness whose address holds a key', (start) => {
  const key = 'a-key-that-the-provider-gave';
  let dns: DnsResponder;
  let rpc: StellarRpc;
  let service: TestService;
  let scene: PaymentScene;

  beforeAll(async () => {
    // Found anywhere in the stores or the log, it fails the stop of the service.
    issuedSecrets.note('service setting', key);
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    rpc = await startStellarRpc();
    const SETTLEMENT_WITNESS = `stellar_testnet=rpc+${rpc.url}/${key}?apikey=${key}`;
    service = await start({ env: { ...prepared.env, ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS } });
    scene = await setPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await rpc.stop();
    await dns.close();
  });
  const settled = async (transaction: LedgerTransaction, changes = {}): Promise<Record<string, any>> => {
    rpc.close(transaction, changes);
    const hash = transaction.innerHash ?? transaction.ledgerHash;
    return finding(service, scene, await confirmed(service, scene, hash));
  };

  it('asks with the key, and shows the host alone', async () => {
    const settlement = await settled(inLedger([payment(PAYEE, AMOUNT)]));
    expect(settlement).toMatchObject({ verdict: 'matches', ledger: 1234, witness: new URL(rpc.url).host });
    expect(rpc.asked.at(-1)).toMatchObject({ path: `/${key}?apikey=${key}`, method: 'getTransaction' });
    const events = await eventsOfType(service, 'PaymentRequestSettlementObserved');
    const metrics = (await call(`${service.url}/metrics`)).text;
    expect(
      JSON.stringify(events, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)) + metrics,
    ).not.toContain(key);
  });

  it('finds a fee bump by the hash of the transaction within', async () => {
    const sponsor = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9));
    expect(await settled(inLedger([payment(PAYEE, AMOUNT)], { sponsor }))).toMatchObject({ verdict: 'matches' });
  });

  it('sees what a smart wallet paid, and is not taken in by a contract of somebody else', async () => {
    const transfer = (contract?: string): xdr.ContractEvent =>
      assetEvent(Asset.native(), ['transfer', SOME_CONTRACT, PAYEE], stroops(AMOUNT), contract);
    expect(await settled(inLedger([contractCall(transfer())]))).toMatchObject({ verdict: 'matches' });
    const forged = inLedger([contractCall(transfer(SOME_CONTRACT))]);
    expect(await settled(forged)).toMatchObject({
      verdict: 'differs',
      differences: [{ fact: 'destination' }, { fact: 'asset' }, { fact: 'amount' }],
    });
  });

  it('does not decide what it cannot decode', async () => {
    const call = inLedger([
      contractCall(assetEvent(Asset.native(), ['transfer', PAYER.publicKey(), PAYEE], stroops('1'))),
    ]);
    const unread = { events: undefined, resultMetaXdr: undefined };
    expect(await settled(call, unread)).toMatchObject({ verdict: 'pending', differences: [] });
  });

  it('does not take a transaction from before the request', async () => {
    const closedAt = '2021-01-01T00:00:00Z';
    expect(await settled(inLedger([payment(PAYEE, AMOUNT)], { closedAt, ledger: 99 }))).toMatchObject({
      verdict: 'differs',
      differences: [{ fact: 'time', found: closedAt }],
    });
  });
});

describe('a witness behind a server that has had enough', () => {
  const WINDOW_MS = 2_000;
  const PER_WINDOW = 10;
  let horizon: Horizon;
  let dns: DnsResponder;
  let service: TestService;
  beforeAll(async () => {
    horizon = await startHorizon();
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    const SETTLEMENT_WITNESS = `stellar_testnet=${horizon.url}`;
    service = await startTestService({ env: { ...prepared.env, ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS } });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await horizon.stop();
    await dns.close();
  });

  it('obeys it, and sees the honest payment of one merchant beside 200 made-up ones of another', async () => {
    const [many, one] = await Promise.all([setPaymentScene(service, dns), setPaymentScene(service, dns)]);
    let [begun, left, refusedAt] = [0, 0, 0];
    const early: number[] = [];
    horizon.throttle(() => {
      const now = performance.now();
      // What was sent before the refusal arrived may still come.
      const since = now - refusedAt;
      if (refusedAt > 0 && since > 500 && since < WINDOW_MS - 100) early.push(Math.round(since));
      if (now - begun > WINDOW_MS) [begun, left] = [now, PER_WINDOW];
      if (left > 0) return void (left -= 1);
      refusedAt = now;
      return WINDOW_MS / 1_000;
    });
    const hashOf = (n: number): string => n.toString(16).padStart(64, 'd');
    for (let n = 0; n < 200; n += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => confirmed(service, many, hashOf(n + index))));
    const honest = 'a'.repeat(64);
    horizon.close(honest, { operations: [paymentTo(PAYEE, AMOUNT)] });
    const begin = performance.now();
    const id = await confirmed(service, one, honest);
    await eventually(
      async () => (await readPayment(service, one, id)).body.payment_request.settlement?.verdict,
      (verdict) => verdict === 'matches',
      'the honest payment’s verdict',
    );
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(early).toEqual([]);
  });
});
