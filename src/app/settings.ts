export type Setting = Readonly<{ names: readonly string[]; fallback: string; meaning: string }>;

/** Every setting, as the README shows it and `--help` prints it: one table, compared with both by a test. */
export const settings: readonly Setting[] = [
  { names: ['HOST', 'PORT'], fallback: '`127.0.0.1`, `8787`', meaning: 'the address it listens on' },
  {
    names: ['BASE_URL'],
    fallback: '`http://HOST:PORT`',
    meaning: 'the address that callers use; with `https://`, cookies are Secure',
  },
  {
    names: ['DATA_DIR'],
    fallback: '`./data`',
    meaning: 'embedded stores, generated secret, personal keys, mail outbox',
  },
  { names: ['EVENT_STORE'], fallback: '`embedded`', meaning: 'or `eventstoredb` with `EVENTSTORE_URL` (`esdb://…`)' },
  { names: ['READ_STORE'], fallback: '`embedded`', meaning: 'or `mongodb` with `MONGODB_URL`' },
  {
    names: ['ROLE'],
    fallback: '`all`',
    meaning:
      'or `api` (requests only) or `worker` (background work only), where several processes share EventStoreDB and MongoDB',
  },
  {
    names: ['AUDIT_SIGNING_KEY'],
    fallback: 'derived from the service secret',
    meaning: '32 bytes in lower-case hex: the key that signs checkpoints of the log; a new one keeps old proofs valid',
  },
  {
    names: ['SERVICE_SECRET'],
    fallback: 'generated into `DATA_DIR`',
    meaning: 'at least 32 characters; required with `eventstoredb`',
  },
  {
    names: ['MAIL_URL'],
    fallback: '`outbox:`',
    meaning: 'lines in `DATA_DIR/outbox.jsonl`, or `smtp://…`, `smtps://…`',
  },
  { names: ['DNS_SERVERS'], fallback: "the system's", meaning: '`host:port,…` for domain proofs' },
  {
    names: ['ALLOW_PRIVATE_NETWORKS'],
    fallback: '`false`',
    meaning: 'lets webhooks and proofs reach private addresses and http',
  },
  {
    names: ['ENABLED_NETWORKS'],
    fallback: '`stellar_testnet`',
    meaning: 'the networks on which recipients may be activated, separated by commas',
  },
  {
    names: ['SETTLEMENT_WITNESS'],
    fallback: 'none',
    meaning:
      '`stellar_testnet=https://…` (Horizon) or `stellar_testnet=rpc+https://…` (Stellar RPC): the network server that the service asks whether a reported transaction pays what was requested',
  },
  { names: ['METRICS_TOKEN'], fallback: 'none', meaning: 'bearer token for `/metrics`' },
  { names: ['LOG_LEVEL'], fallback: '`info`', meaning: '`trace` … `fatal`, `silent`' },
  { names: ['RATE_LIMITS'], fallback: '`on`', meaning: 'or `off`' },
  {
    names: ['TRUST_PROXY'],
    fallback: 'none',
    meaning:
      'the number of proxies in front of the service (`1`), or their networks (`10.0.0.0/8,fd00::/8`): callers are then counted by the address in `X-Forwarded-For`',
  },
  { names: ['WEB'], fallback: '`on`', meaning: 'or `off`: only the API, without portal and wallet' },
  {
    names: ['WALLET_HORIZON'],
    fallback: 'none',
    meaning: 'the Horizon server that the wallet page uses; its content security policy allows it',
  },
];
