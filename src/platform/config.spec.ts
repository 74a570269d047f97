import { ConfigError, readConfig } from './config';

const read = (env: Record<string, string>) => readConfig(env, ['stellar_testnet', 'base_mainnet']);

describe('configuration', () => {
  it('has the documented defaults', () => {
    expect(read({})).toEqual({
      role: 'all',
      host: '127.0.0.1',
      port: 8787,
      baseUrl: 'http://127.0.0.1:8787',
      dataDir: './data',
      eventStore: { kind: 'embedded' },
      readStore: { kind: 'embedded' },
      serviceSecret: undefined,
      mailUrl: 'outbox:',
      dnsServers: [],
      allowPrivateNetworks: false,
      enabledNetworks: ['stellar_testnet'],
      settlementWitnesses: [],
      metricsToken: undefined,
      logLevel: 'info',
      rateLimits: true,
      web: true,
      walletHorizon: undefined,
    });
  });

  it('lists the known networks when one is not known', () => {
    expect(() => read({ ENABLED_NETWORKS: 'stelar_testnet' })).toThrow(
      'ENABLED_NETWORKS names an unknown network: stelar_testnet; known networks are stellar_testnet, base_mainnet',
    );
  });

  it('takes the production pair', () => {
    const config = read({
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
      READ_STORE: 'mongodb',
      MONGODB_URL: 'mongodb://127.0.0.1/',
      SERVICE_SECRET: 's'.repeat(32),
      DNS_SERVERS: '127.0.0.1:5353,[::1]:53',
      ENABLED_NETWORKS: 'stellar_testnet, base_mainnet',
      BASE_URL: 'https://pay.example/',
      ROLE: 'api',
    });
    expect(config.eventStore).toEqual({ kind: 'eventstoredb', url: 'esdb://127.0.0.1:2113?tls=false' });
    expect(config.dnsServers).toEqual(['127.0.0.1:5353', '[::1]:53']);
    expect(config.enabledNetworks).toEqual(['stellar_testnet', 'base_mainnet']);
    expect(config.baseUrl).toBe('https://pay.example');
    expect(config.role).toBe('api');
  });

  it.each([
    ['ROLE', { ROLE: 'leader' }],
    ['ROLE', { ROLE: 'api' }],
    [
      'ROLE',
      { ROLE: 'worker', EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://h', SERVICE_SECRET: 's'.repeat(32) },
    ],
    ['PORT', { PORT: '80x' }],
    ['PORT', { PORT: '70000' }],
    ['HOST', { HOST: 'not a host' }],
    ['HOST', { HOST: '256.1.1.1' }],
    ['HOST', { HOST: 'fe80::1%eth0' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'with space' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'schlüssel' }],
    ['BASE_URL', { BASE_URL: 'ftp://x' }],
    ['WEB', { WEB: 'yes' }],
    ['WALLET_HORIZON', { WALLET_HORIZON: 'horizon.example' }],
    ['WALLET_HORIZON', { WALLET_HORIZON: 'https://user@horizon.example' }],
    ['WALLET_HORIZON', { WALLET_HORIZON: 'https://horizon.example;script-src' }],
    ['BASE_URL', { BASE_URL: 'https://x/?a=1' }],
    ['BASE_URL', { BASE_URL: 'https://:password@x' }],
    ['BASE_URL', { BASE_URL: 'https://x?' }],
    ['BASE_URL', { BASE_URL: 'https://x#' }],
    ['BASE_URL', { BASE_URL: ' https://x' }],
    // A browser would go somewhere with these; a link that continues them, or a check for https, would not.
    ['BASE_URL', { BASE_URL: 'HTTPS://x.example' }],
    ['BASE_URL', { BASE_URL: 'http:127.0.0.1:8787' }],
    ['BASE_URL', { BASE_URL: 'https:/x.example' }],
    ['BASE_URL', { BASE_URL: 'https:\\\\x.example' }],
    ['BASE_URL', { BASE_URL: 'https://x.example\\pay' }],
    ['EVENT_STORE', { EVENT_STORE: 'sqlite' }],
    ['EVENTSTORE_URL', { EVENT_STORE: 'eventstoredb', SERVICE_SECRET: 's'.repeat(32) }],
    ['EVENTSTORE_URL', { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'http://x', SERVICE_SECRET: 's'.repeat(32) }],
    ['READ_STORE', { READ_STORE: 'postgres' }],
    ['MONGODB_URL', { READ_STORE: 'mongodb' }],
    ['SERVICE_SECRET', { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://x' }],
    ['SERVICE_SECRET', { SERVICE_SECRET: 'short' }],
    ['MAIL_URL', { MAIL_URL: 'http://x' }],
    ['MAIL_URL', { MAIL_URL: 'smtp:///mail.example' }],
    ['MAIL_URL', { MAIL_URL: 'smtp://?from=a@x.example' }],
    ['MAIL_URL', { MAIL_URL: 'smtp://mail.example:0' }],
    ['DNS_SERVERS', { DNS_SERVERS: 'dns.example' }],
    ['DNS_SERVERS', { DNS_SERVERS: '127.0.0.1:0' }],
    ['ALLOW_PRIVATE_NETWORKS', { ALLOW_PRIVATE_NETWORKS: 'yes' }],
    ['ENABLED_NETWORKS', { ENABLED_NETWORKS: 'stellar_testnet,moon' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'https://horizon.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'bitcoin_mainnet=https://x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: ' ' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: ',' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=https://x.example,' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=ftp://x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=https://:password@x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=https://x.example?' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=https://x.example/?a=b#c' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=https://x.example/?a=b?c' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=http://x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=rpc+http://x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=rpc+' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=rpc:https://x.example' }],
    ['SETTLEMENT_WITNESS', { SETTLEMENT_WITNESS: 'stellar_testnet=rpc+rpc+https://x.example' }],
    [
      'SETTLEMENT_WITNESS',
      { SETTLEMENT_WITNESS: 'stellar_testnet=https://x.example,stellar_testnet=https://y.example' },
    ],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['RATE_LIMITS', { RATE_LIMITS: 'maybe' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'yes' }],
  ])('refuses a wrong %s by name, in one line', (name, env) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(new RegExp(`^${name} [^\\n]+$`));
  });

  it.each(['::1', '0.0.0.0', 'localhost', 'pay-1.internal_net.example'])('listens on %s', (HOST) => {
    expect(read({ HOST })).toMatchObject({ host: HOST });
  });

  it('takes witnesses of settlements', () => {
    const SETTLEMENT_WITNESS =
      'stellar_testnet=http://127.0.0.1:8000/, stellar_public=rpc+https://rpc.example/key?k=v=w/';
    expect(read({ SETTLEMENT_WITNESS, ALLOW_PRIVATE_NETWORKS: 'true' }).settlementWitnesses).toEqual([
      { network: 'stellar_testnet', kind: 'horizon', url: 'http://127.0.0.1:8000' },
      { network: 'stellar_public', kind: 'rpc', url: 'https://rpc.example/key?k=v=w/' },
    ]);
  });

  it.each(['http://x.example/KEY', 'https://x.example/#KEY', 'https://u:KEY@x.example', 'rpc+ftp://x?KEY'])(
    'never repeats a key of a witness (%s)',
    (url) => {
      const attempt = () => read({ SETTLEMENT_WITNESS: `stellar_testnet=${url}` });
      expect(attempt).toThrow(/^SETTLEMENT_WITNESS .*$/);
      expect(attempt).not.toThrow(/KEY/);
    },
  );

  it('never repeats a password', () => {
    const attempt = () => read({ READ_STORE: 'mongodb', MONGODB_URL: 'http://user:hunter2@x' });
    expect(attempt).toThrow(/^MONGODB_URL/);
    expect(attempt).not.toThrow(/hunter2/);
  });
});
