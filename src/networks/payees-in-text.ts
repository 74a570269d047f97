import { type NetworkName } from './names';
import { reservedAddress } from './problems';
import { stellarAccount, stellarContract } from './stellar';
import { networkNamed } from './table';

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const BECH32 = '[02-9ac-hj-np-z]';

/** Matched between characters that no address of the network contains. */
const within = (form: string, sign: string, flags = ''): RegExp =>
  new RegExp(`(?<!${sign})${form}(?!${sign})`, `g${flags}`);
const word = (form: string, flags = ''): RegExp => within(form, '[0-9A-Za-z]', flags);
/** Matched only if a text is nothing else. */
const alone = (form: string, flags = ''): RegExp => new RegExp(`^${form}$`, flags);

const EVM = /0x[0-9a-f]{40}(?![0-9a-f])/gi;
const STELLAR = within('(?:[CG][A-Z2-7]{55}|M[A-Z2-7]{68})', '[A-Z2-7]');
const HEX32 = alone('0x[0-9a-f]{64}', 'i');

/**
 * What may be an address of a network. With a checksum, one is recognized inside any text. Without one, an order number
 * or a transaction hash may look like an address, so only a text that is one counts.
 */
const FORMS: Readonly<Record<NetworkName, RegExp>> = {
  stellar_public: STELLAR,
  stellar_testnet: STELLAR,
  solana_mainnet: alone(`${BASE58}{32,44}`),
  ethereum_mainnet: EVM,
  base_mainnet: EVM,
  bsc_mainnet: EVM,
  arbitrum_one: EVM,
  polygon_pos: EVM,
  avalanche_c_chain: EVM,
  optimism_mainnet: EVM,
  cronos_mainnet: EVM,
  mantle_mainnet: EVM,
  zksync_era: EVM,
  linea_mainnet: EVM,
  bitcoin_mainnet: word(`(?:bc1${BECH32}{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71}|[13]${BASE58}{24,35})`),
  litecoin_mainnet: word(`(?:ltc1${BECH32}{11,71}|LTC1[02-9AC-HJ-NP-Z]{11,71}|[LM]${BASE58}{24,35})`),
  dogecoin_mainnet: word(`[9AD]${BASE58}{24,35}`),
  bitcoin_cash_mainnet: word(`(?:bitcoincash:)?[pq]${BECH32}{41,60}`, 'i'),
  xrpl_mainnet: word(`r${BASE58}{24,34}`),
  sui_mainnet: HEX32,
  aptos_mainnet: HEX32,
  starknet_mainnet: alone('0x[0-9a-f]{50,64}', 'i'),
  ton_mainnet: within('[EU][Qf][A-Za-z0-9+/_-]{46}', '[A-Za-z0-9+/_-]'),
  cardano_mainnet: word(`addr1${BECH32}{50,110}`),
  cosmos_hub: word(`cosmos1${BECH32}{38,58}`),
  polkadot_mainnet: word(`1${BASE58}{45,47}`),
  hedera_mainnet: alone('0\\.0\\.\\d{1,19}(?:-[a-z]{5})?'),
  algorand_mainnet: within('[A-Z2-7]{58}', '[A-Z2-7]'),
  tezos_mainnet: word(`(?:tz[1-4]|KT1)${BASE58}{33}`),
  internet_computer: within('(?:[0-9a-f]{64}|(?:(?:[a-z2-7]{5}-){4}|(?:[a-z2-7]{5}-){10})[a-z2-7]{3})', '[0-9a-z-]'),
  filecoin_mainnet: word('f(?:[123]|410f)[a-z2-7]{38,90}'),
};

const SCHEMES =
  'bitcoin|bitcoincash|litecoin|dogecoin|ethereum|solana|stellar|ripple|xrpl|algorand|cardano|tezos|cosmos|polkadot|' +
  'filecoin|monero|ton|tron|lightning|payto|pay';

/** A link that a wallet opens to pay. Some schemes are ordinary words, which need what such a link has. */
const PAYMENT_LINK = new RegExp(
  `(?<![0-9A-Za-z+.-])(?:web\\+[a-z]{3,20}:|(?:${SCHEMES}):(?=[^\\s]{0,40}[?@][0-9a-z]|[0-9a-z._/-]{0,40}[0-9a-z]{25}))` +
    `[^\\s"'<>]+`,
  'gi',
);

/** How many texts of one body are decoded; an ordinary one has hardly any that look like addresses. */
const MAX_CHECKED = 100;

/** The payee of a request, who may be named. */
export type AllowedPayee = Readonly<{ addresses: readonly (string | null)[]; link: string | null }>;
/** No address is shorter, except those that are numbers. */
const MIN_LENGTH = 5;
const NOBODY: AllowedPayee = { addresses: [], link: null };

/**
 * The positions of the texts that contain a payment link, or an address of one of the networks, other than the allowed
 * ones; the first `most` of them.
 */
export function payeesInTexts(
  texts: readonly string[],
  networks: readonly string[],
  most: number,
  { addresses, link }: AllowedPayee = NOBODY,
): readonly number[] {
  const allowed = new Set(addresses.map((address) => plain(address ?? '')));
  // With its prefix, a cash address looks like a link.
  const isOther = (one: string): boolean => one !== link && !allowed.has(plain(one));
  const checks = [...new Set(networks)].map((network) => isForeignAddress(network, allowed));
  const found: number[] = [];
  for (let at = 0; at < texts.length && found.length < most; at += 1) {
    const text = asWritten(texts[at] ?? '');
    if (text.length < MIN_LENGTH) continue;
    const links = text.includes(':') ? (text.match(PAYMENT_LINK) ?? []) : [];
    if (links.some((one) => isOther(withoutFullStop(one))) || checks.some((holds) => holds(text))) found.push(at);
  }
  return found;
}

/** Whether a text contains an address of the network that is not allowed. */
function isForeignAddress(network: string, allowed: ReadonlySet<string>): (text: string) => boolean {
  const form = (FORMS as Readonly<Partial<Record<string, RegExp>>>)[network];
  const known = new Map<string, boolean>();
  const isForeign = (candidate: string): boolean => {
    if (allowed.has(plain(candidate))) return false;
    // A body with more of them may be hiding an address among them.
    if (!known.has(candidate)) known.set(candidate, known.size >= MAX_CHECKED || isAddress(candidate, network));
    return known.get(candidate) === true;
  };
  if (form === undefined) return () => false;
  return (text) => (form.global ? text : text.trim()).match(form)?.some(isForeign) ?? false;
}

/** Muxed addresses and contracts are not accepted as payees, but a person could be led to pay them all the same. */
function isAddress(text: string, network: string): boolean {
  const problem = networkNamed(network)?.checkAddress(text);
  if (problem === undefined || problem === reservedAddress) return true;
  return FORMS[network as NetworkName] === STELLAR && (stellarAccount(text) !== undefined || stellarContract(text));
}

/** Without what a reader does not see, and with full-width letters as the ordinary ones that they stand for. */
const asWritten = (text: string): string =>
  /^[\x00-\x7f]*$/.test(text)
    ? text
    : text.replace(/[\uff01-\uff5e]/g, narrow).replace(/\p{Default_Ignorable_Code_Point}/gu, '');
const narrow = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) - 0xfee0);

/** Spellings of one address differ in case, in the prefix of a cash address and in leading zeros. */
const plain = (address: string): string => address.toLowerCase().replace(/^bitcoincash:|^0x0*/, '');
const withoutFullStop = (link: string): string => link.replace(/[.,;:!)\]]+$/, '');
