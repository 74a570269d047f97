import { plainUrl } from '../kernel/parsed-url';

/** A server that is asked what became of a transaction, and which of the two kinds it is. */
export type SettlementWitnessConfig = Readonly<{ network: string; kind: 'horizon' | 'rpc'; url: string }>;

type Environment = Readonly<Record<string, string | undefined>>;

const NETWORKS = ['stellar_testnet', 'stellar_public'];

/**
 * `network=url` or `network=rpc+url`, separated by commas. Plain http is for a private network, as everywhere. What is
 * wrong is said without the value: providers put keys into paths and queries.
 */
export function settlementWitnesses(
  { SETTLEMENT_WITNESS: value, ALLOW_PRIVATE_NETWORKS: allowsPrivate }: Environment,
  wrong: (expected: string) => Error,
): readonly SettlementWitnessConfig[] {
  const read = (value ? value.split(',') : []).map((entry): SettlementWitnessConfig => {
    const [network = '', ...rest] = entry.trim().split('=');
    if (!NETWORKS.includes(network)) {
      throw wrong(`must be network=url, with one of these networks: ${NETWORKS.join(', ')}`);
    }
    const [, rpc, plain = '', query = ''] = /^(rpc\+)?([^?]*)(\?[^?#\s\\]+)?$/.exec(rest.join('=')) ?? [];
    const parsed = plainUrl(plain);
    if (!parsed) {
      const example = `${network}=https://horizon.example or ${network}=rpc+https://rpc.example`;
      throw wrong(`needs an address such as ${example}, without user or fragment`);
    }
    if (parsed.protocol === 'http:' && allowsPrivate !== 'true') {
      throw wrong('needs an https address unless ALLOW_PRIVATE_NETWORKS is true');
    }
    return { network, kind: rpc ? 'rpc' : 'horizon', url: `${plain.replace(/\/+$/, '')}${query}` };
  });
  if (new Set(read.map(({ network }) => network)).size < read.length) throw wrong('names a network twice');
  return read;
}
