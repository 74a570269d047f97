import { createHash } from 'node:crypto';
import type { xdr } from '@stellar/stellar-base';
import {
  amountFrom,
  ASSET_CODE,
  type Fields,
  fields,
  ledgerOf,
  otherMemo,
  textMemo,
  UnreadableAnswer,
  xdrOf,
} from './answers';
import { contractEventsIn, ContractTransfers } from './contract-transfers';
import { decoded, type StellarLibrary } from './stellar-library';
import { type SettledMemo, type SettledTransaction, type SettledTransfer } from './witness.port';

/** The result of `getTransaction`; undefined where the server does not know the transaction. */
export function readRpcTransaction(
  stellar: StellarLibrary,
  passphrase: string,
  body: unknown,
  hash: string,
): SettledTransaction | undefined {
  const answer = resultOf(body);
  const { status, txHash, ledger } = answer;
  if (txHash !== undefined && txHash !== hash) throw new UnreadableAnswer('it is about another transaction');
  if (status === 'NOT_FOUND') return undefined;
  if (status !== 'SUCCESS' && status !== 'FAILED')
    throw new UnreadableAnswer('it does not say whether it was successful');

  const envelope = xdrOf(answer['envelopeXdr']);
  if (envelope === null) throw new UnreadableAnswer('it holds no envelope');
  return decoded('envelope', () => {
    const read = new Envelope(stellar, passphrase, envelope);
    const { ledgerHash, innerHash } = read;
    // `txHash` merely repeats the hash that was asked for; what was signed says which transaction it is.
    if (hash !== ledgerHash && hash !== innerHash) throw new UnreadableAnswer('it is about another transaction');
    const successful = status === 'SUCCESS';
    return {
      ledgerHash,
      innerHash,
      successful,
      ledger: ledgerOf(ledger),
      closedAt: closingTimeOf(answer),
      memo: read.memo(),
      envelope,
      transfers: new Operations(stellar, passphrase, read, answer, successful).transfers(),
    };
  });
}

function resultOf(body: unknown): Fields {
  const { result, error } = fields(body);
  if (error === undefined || error === null) return fields(result);
  const { code } = fields(error);
  throw new UnreadableAnswer(`error ${typeof code === 'number' ? code : 'of an unknown kind'}`);
}

function closingTimeOf({ createdAt }: Fields): string {
  const seconds = typeof createdAt === 'string' && /^\d{1,11}$/.test(createdAt) ? Number(createdAt) : createdAt;
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > 99_999_999_999)
    throw new UnreadableAnswer('it does not say when its ledger closed');
  return new Date(Number(seconds) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** The signed transaction, with the fee bump around it if there is one. */
class Envelope {
  readonly transaction: xdr.Transaction;
  readonly ledgerHash: string;
  readonly innerHash: string | null;

  constructor(
    private readonly stellar: StellarLibrary,
    private readonly passphrase: string,
    envelope: string,
  ) {
    const { xdr } = stellar;
    const outer = xdr.TransactionEnvelope.fromXDR(envelope, 'base64');
    const { TransactionSignaturePayloadTaggedTransaction: Tagged } = xdr;
    switch (outer.switch().name) {
      case 'envelopeTypeTx':
        this.transaction = outer.v1().tx();
        this.ledgerHash = this.hashOf(Tagged.envelopeTypeTx(this.transaction));
        this.innerHash = null;
        break;
      case 'envelopeTypeTxFeeBump': {
        const bump = outer.feeBump().tx();
        this.transaction = bump.innerTx().v1().tx();
        this.ledgerHash = this.hashOf(Tagged.envelopeTypeTxFeeBump(bump));
        this.innerHash = this.hashOf(Tagged.envelopeTypeTx(this.transaction));
        break;
      }
      default:
        // The network has turned the oldest kind into the one above since protocol 13.
        throw new UnreadableAnswer('its envelope is of another kind');
    }
  }

  memo(): SettledMemo | null {
    const memo = this.transaction.memo();
    switch (memo.switch().name) {
      case 'memoNone':
        return null;
      case 'memoText':
        return textMemo(memo.text().toString());
      case 'memoId':
        return otherMemo('id', memo.id().toString());
      case 'memoHash':
        return otherMemo('hash', memo.hash().toString('base64'));
      case 'memoReturn':
        return otherMemo('return', memo.retHash().toString('base64'));
    }
  }

  private hashOf(taggedTransaction: xdr.TransactionSignaturePayloadTaggedTransaction): string {
    const networkId = createHash('sha256').update(this.passphrase).digest();
    const payload = new this.stellar.xdr.TransactionSignaturePayload({ networkId, taggedTransaction });
    return createHash('sha256').update(payload.toXDR()).digest('hex');
  }
}

/**
 * The operations' transfers, read as Horizon shows them: what an operation says it pays. The network also writes events
 * about them, but there an account that trades receives just as one that is paid does. Calls have nothing but events.
 */
class Operations {
  constructor(
    private readonly stellar: StellarLibrary,
    private readonly passphrase: string,
    private readonly envelope: Envelope,
    private readonly answer: Fields,
    private readonly successful: boolean,
  ) {}

  transfers(): readonly SettledTransfer[] {
    const { transaction } = this.envelope;
    return transaction.operations().flatMap((operation, index) => {
      const from = this.accountOf(operation.sourceAccount() ?? transaction.sourceAccount());
      const body = operation.body();
      switch (body.switch().name) {
        case 'payment': {
          const { destination, asset, amount } = {
            destination: body.paymentOp().destination(),
            asset: body.paymentOp().asset(),
            amount: body.paymentOp().amount(),
          };
          return [this.transfer(index, from, this.accountOf(destination), asset, amount)];
        }
        case 'createAccount': {
          const opened = body.createAccountOp();
          const destination = this.stellar.StrKey.encodeEd25519PublicKey(opened.destination().ed25519());
          return [this.transfer(index, from, destination, undefined, opened.startingBalance())];
        }
        case 'pathPaymentStrictReceive': {
          const paid = body.pathPaymentStrictReceiveOp();
          const destination = this.accountOf(paid.destination());
          return [this.transfer(index, from, destination, paid.destAsset(), paid.destAmount())];
        }
        case 'pathPaymentStrictSend': {
          const paid = body.pathPaymentStrictSendOp();
          const destination = this.accountOf(paid.destination());
          return [this.transfer(index, from, destination, paid.destAsset(), this.arrived(index))];
        }
        case 'invokeHostFunction':
          return this.successful
            ? new ContractTransfers(this.stellar, this.passphrase).in(index, this.events(index))
            : [];
        default:
          return [];
      }
    });
  }

  private transfer(
    operation: number,
    from: string,
    destination: string,
    asset: xdr.Asset | undefined,
    amount: { toString(): string },
  ): SettledTransfer {
    const paid = amountFrom(BigInt(amount.toString()));
    const to = { operation, transfer: 0, from, destination };
    if (asset === undefined || asset.switch().name === 'assetTypeNative')
      return { ...to, asset: 'XLM', issuer: null, amount: paid };
    const token = this.stellar.Asset.fromOperation(asset);
    if (!ASSET_CODE.test(token.getCode())) throw new UnreadableAnswer('it names no asset');
    return { ...to, asset: token.getCode(), issuer: token.getIssuer(), amount: paid };
  }

  private accountOf(address: xdr.MuxedAccount): string {
    const isMuxed = address.switch().name === 'keyTypeMuxedEd25519';
    return this.stellar.StrKey.encodeEd25519PublicKey(isMuxed ? address.med25519().ed25519() : address.ed25519());
  }

  /** What a path payment brings is only in its result; nothing, where the transaction failed. */
  private arrived(operation: number): { toString(): string } {
    if (!this.successful) return '0';
    const result = xdrOf(this.answer['resultXdr']);
    if (result === null) throw new UnreadableAnswer('it holds no result');
    return decoded('result', () => {
      const outcome = this.stellar.xdr.TransactionResult.fromXDR(result, 'base64').result();
      const results =
        this.envelope.innerHash === null ? outcome.results() : outcome.innerResultPair().result().result().results();
      const found = results[operation];
      if (found === undefined) throw new UnreadableAnswer('its result is about other operations');
      return found.tr().pathPaymentStrictSendResult().success().last().amount();
    });
  }

  /** By operation, as newer servers list them, or else out of the metadata. */
  private events(operation: number): readonly xdr.ContractEvent[] {
    const { events } = this.answer;
    const listed = events === undefined || events === null ? undefined : fields(events)['contractEventsXdr'];
    if (listed === undefined || listed === null)
      return contractEventsIn(this.stellar, xdrOf(this.answer['resultMetaXdr']), operation);
    const own: unknown = Array.isArray(listed) ? listed[operation] : undefined;
    if (!Array.isArray(own)) throw new UnreadableAnswer('it lists no events of its operation');
    return own.map((event) => {
      const encoded = xdrOf(event);
      if (encoded === null) throw new UnreadableAnswer('it lists no events of its operation');
      return decoded('event', () => this.stellar.xdr.ContractEvent.fromXDR(encoded, 'base64'));
    });
  }
}
