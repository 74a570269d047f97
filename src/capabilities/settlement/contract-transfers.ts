import type { xdr } from '@stellar/stellar-base';
import { amountFrom, ASSET_CODE, otherMemo, textMemo, UnreadableAnswer } from './answers';
import { decoded, type StellarLibrary } from './stellar-library';
import { type SettledMemo, type SettledTransfer } from './witness.port';

type Asset = Readonly<{ asset: string; issuer: string | null }>;
type Arrival = Omit<SettledTransfer, 'operation' | 'transfer'>;

/**
 * Reads the transfers within an operation that calls a contract: events with the topics `transfer`, from, to, asset, or
 * `mint`, to, asset where the issuer pays. Any contract can write such an event about any asset, so only those of the
 * asset's own contract count, whose id follows from code, issuer and network.
 */
export class ContractTransfers {
  constructor(
    private readonly stellar: StellarLibrary,
    private readonly passphrase: string,
  ) {}

  in(operation: number, events: readonly xdr.ContractEvent[]): readonly SettledTransfer[] {
    const counts = new Map<string, number>();
    return events.flatMap((event) => {
      const arrival = decoded('event', () => this.arrivalIn(event));
      if (arrival === undefined) return [];
      const kind = [arrival.destination, arrival.asset, arrival.issuer].join(' ');
      const transfer = counts.get(kind) ?? 0;
      counts.set(kind, transfer + 1);
      return [{ operation, transfer, ...arrival }];
    });
  }

  private arrivalIn(event: xdr.ContractEvent): Arrival | undefined {
    const contract = event.contractId();
    if (event.type().name !== 'contract' || contract === null) return undefined;
    const { topics, data } = { topics: event.body().v0().topics(), data: event.body().v0().data() };
    const name = symbolIn(topics[0]);
    const asset = this.assetIn(topics.at(-1));
    if (asset === undefined || this.contractOf(asset) !== this.contractAddress(contract)) return undefined;
    const { length } = topics;

    // From here on the network itself speaks: what it says about this asset must be understood.
    if (name === 'transfer' && length === 4) return this.arrival(asset, this.addressIn(topics[1]), topics[2], data);
    // Before protocol 23 it also named, in front, who had it minted.
    if (name === 'mint' && (length === 3 || length === 4))
      return this.arrival(asset, asset.issuer, topics.at(-2), data);
    return undefined;
  }

  private arrival(asset: Asset, from: string | null, to: xdr.ScVal | undefined, data: xdr.ScVal): Arrival | undefined {
    const destination = this.addressIn(to);
    if (destination === null) return undefined;
    const { amount, memo } = this.paidIn(data);
    return { from, destination, ...asset, amount: amountFrom(amount), memo };
  }

  private assetIn(topic: xdr.ScVal | undefined): Asset | undefined {
    if (topic?.switch().name !== 'scvString') return undefined;
    const text = topic.str().toString();
    if (text === 'native') return { asset: 'XLM', issuer: null };
    const [code = '', issuer = '', ...more] = text.split(':');
    const isAsset = more.length === 0 && ASSET_CODE.test(code) && this.stellar.StrKey.isValidEd25519PublicKey(issuer);
    return isAsset ? { asset: code, issuer } : undefined;
  }

  private contractOf({ asset, issuer }: Asset): string {
    const { Asset: Known } = this.stellar;
    return (issuer === null ? Known.native() : new Known(asset, issuer)).contractId(this.passphrase);
  }

  /** The library's types call it opaque; it is its 32 bytes. */
  private contractAddress(id: unknown): string {
    return this.stellar.StrKey.encodeContract(Buffer.from(id as Uint8Array));
  }

  /** Null for what is neither an account nor a contract: a claimable balance or a liquidity pool. */
  private addressIn(topic: xdr.ScVal | undefined): string | null {
    if (topic?.switch().name !== 'scvAddress') throw new UnreadableAnswer('its event names no address');
    const address = topic.address();
    const { StrKey } = this.stellar;
    switch (address.switch().name) {
      case 'scAddressTypeAccount':
        return StrKey.encodeEd25519PublicKey(address.accountId().ed25519());
      case 'scAddressTypeMuxedAccount':
        return StrKey.encodeEd25519PublicKey(address.muxedAccount().ed25519());
      case 'scAddressTypeContract':
        return this.contractAddress(address.contractId());
      default:
        return null;
    }
  }

  private paidIn(data: xdr.ScVal): Readonly<{ amount: bigint; memo: SettledMemo | null }> {
    if (data.switch().name !== 'scvMap') return { amount: this.integerIn(data), memo: null };
    const entries = new Map((data.map() ?? []).map((entry) => [symbolIn(entry.key()), entry.val()]));
    const id = entries.get('to_muxed_id');
    return { amount: this.integerIn(entries.get('amount')), memo: id === undefined ? null : memoIn(id) };
  }

  private integerIn(value: xdr.ScVal | undefined): bigint {
    const amount = value?.switch().name === 'scvI128' ? this.stellar.scValToBigInt(value) : -1n;
    if (amount < 0n) throw new UnreadableAnswer('its event names no amount');
    return amount;
  }
}

const symbolIn = (value: xdr.ScVal | undefined): string | undefined =>
  value?.switch().name === 'scvSymbol' ? value.sym().toString() : undefined;

/** What the payer put beside the address, in the place of a memo; only a text can be what a recipient asked for. */
function memoIn(value: xdr.ScVal): SettledMemo {
  switch (value.switch().name) {
    case 'scvString':
      return textMemo(value.str().toString());
    case 'scvU64':
      return otherMemo('id', value.u64().toString());
    case 'scvBytes':
      return otherMemo('hash', Buffer.from(value.bytes()).toString('base64'));
    default:
      throw new UnreadableAnswer('its event names no readable id of the payment');
  }
}

/** The events of an operation that calls a contract, out of the metadata of its transaction. */
export function contractEventsIn(
  { xdr: { TransactionMeta } }: StellarLibrary,
  metadata: string | null,
  operation: number,
): readonly xdr.ContractEvent[] {
  if (metadata === null) throw new UnreadableAnswer('it calls a contract, and this server keeps no events');
  const events = decoded('metadata', () => {
    const meta = TransactionMeta.fromXDR(metadata, 'base64');
    if (meta.switch() === 4) return meta.v4().operations()[operation]?.events();
    return meta.switch() === 3 ? meta.v3().sorobanMeta()?.events() : undefined;
  });
  if (events === undefined) throw new UnreadableAnswer('it calls a contract, and its metadata holds no events');
  return events;
}
