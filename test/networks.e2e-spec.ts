import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { networkNames, networks } from '../src/networks';
import { TESTNET_FACTS } from './support/agents';
import { startDnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { recipientsOf } from './support/recipients';
import { type TestService } from './support/service';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';

describeOnEachPair('networks', (start) => {
  let service: TestService;
  let merchant: SignedUpMerchant;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const dns = await startDnsResponder();
    service = await start({ env: { DNS_SERVERS: dns.server, ENABLED_NETWORKS: 'stellar_testnet,base_mainnet' } });
    merchant = await signUpMerchant(service, { dns });
    close = () => dns.close();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await close();
  });

  const check = (network: string, body: object): Promise<Answer> =>
    call(`${service.url}/v1/networks/${network}/check-address`, { body });

  it('lists every network with what it supports, and whether it is enabled here', async () => {
    const { status, body } = await call(`${service.url}/v1/networks`);
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, networks: expect.any(Array), next_cursor: null });
    const listed = new Map<string, any>(body.networks.map((each: { network: string }) => [each.network, each]));
    expect([...listed.keys()]).toEqual([...networkNames]);
    expect(listed.get('stellar_testnet')).toEqual({
      network: 'stellar_testnet',
      title: 'Stellar testnet',
      testnet: true,
      enabled: true,
      rails: ['stellar_xlm'],
      native_asset: 'XLM',
      decimals: 7,
      native_payable: true,
      tokens: 'stellar_credit',
      chain_id: null,
      memo: { kind: 'text', called: 'text memo', max_bytes: 28 },
    });
    expect(listed.get('base_mainnet')).toMatchObject({ enabled: true, native_payable: false, chain_id: 8453 });
    expect(listed.get('xrpl_mainnet').memo).toEqual({ kind: 'integer', called: 'destination tag', bits: 32 });
    const enabled = body.networks.filter((each: { enabled: boolean }) => each.enabled);
    expect(enabled.map((each: { network: string }) => each.network)).toEqual(['base_mainnet', 'stellar_testnet']);
  });

  it('accepts a correct address, and returns the facts that follow from it', async () => {
    const { network, address } = TESTNET_FACTS;
    const { status, body } = await check(network, { address, memo: 'order 7' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      valid: true,
      issues: [],
      facts: { rail: 'stellar_xlm', network, asset: 'XLM', address, memo: 'order 7', decimals: 7 },
    });
    expect((await check('base_mainnet', { address: EVM })).body.facts).toMatchObject({ rail: 'base_usdc' });
  });

  it('reports the same issues as creating a recipient would, and stores nothing', async () => {
    const payees = recipientsOf(service, merchant);
    const wrong = [
      { network: 'stellar_testnet', asset: 'XLM', address: `${TESTNET_FACTS.address.slice(0, -1)}A` },
      { network: 'stellar_testnet', asset: 'USD', address: TESTNET_FACTS.address, memo: 'x'.repeat(29) },
      { network: 'ethereum_mainnet', asset: 'USDC', address: 'nonsense', contract: EVM },
      { network: 'xrpl_mainnet', asset: 'XRP', address: TESTNET_FACTS.address, memo: 'not a tag', issuer: 'x' },
    ];
    const store = service.app.get<EventStore>(EVENT_STORE);
    for (const { network, ...facts } of wrong) {
      const asRecipient = await payees.create({ network, ...facts });
      expect(asRecipient.status).toBe(400);
      const before = await store.head();
      const { status, body } = await check(network, facts);
      expect(status).toBe(200);
      expect([body.valid, body.facts]).toEqual([false, null]);
      const sorted = (issues: { field: string; code: string }[]) =>
        [...issues].sort((one, other) => `${one.field}${one.code}`.localeCompare(`${other.field}${other.code}`));
      expect(sorted(body.issues)).toEqual(sorted(asRecipient.body.error.issues));
      expect(body.issues.length).toBeGreaterThan(0);
      expect(await store.head()).toBe(before);
    }
  });

  it('never guesses a token, and refuses malformed input', async () => {
    const guessed = await check('ethereum_mainnet', { address: EVM, contract: EVM });
    expect(guessed.body.issues).toContainEqual(expect.objectContaining({ field: 'asset', code: 'required' }));
    for (const [network, body, expected] of [
      ['stellar_testnet', {}, [400, 'validation_failed']],
      ['stellar_testnet', { address: 7, memo: 7 }, [400, 'validation_failed']],
      ['constructor', { address: EVM }, [404, 'resource_not_found']],
      ['no_such_network', { address: EVM }, [404, 'resource_not_found']],
    ] as const) {
      const answer = await check(network, body);
      expect([answer.status, answer.body.error.code]).toEqual(expected);
    }
  });

  it('assumes the network’s native asset if none is named', async () => {
    for (const { name, native } of networks.filter(({ native: { rail } }) => rail !== undefined)) {
      const { body } = await check(name, { address: 'x' });
      expect([native.asset, body.issues.filter(({ field }: { field: string }) => field !== 'address')]).toEqual([
        native.asset,
        [],
      ]);
    }
  });
});
