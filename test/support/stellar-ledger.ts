import {
  Account,
  Asset,
  Contract,
  type FeeBumpTransaction,
  Keypair,
  Memo,
  nativeToScVal,
  Networks,
  Operation,
  StrKey,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-base';

/** An operation as it is signed, what came of it, and how Horizon lists it. */
export type LedgerOperation = Readonly<{
  operation: xdr.Operation;
  horizon: Readonly<Record<string, unknown>>;
  result: xdr.OperationResultTr;
  events: readonly xdr.ContractEvent[];
}>;

export type LedgerOptions = Readonly<{
  payer?: Keypair;
  memo?: Memo;
  successful?: boolean;
  ledger?: number;
  closedAt?: string;
  /** Pays the fee, in a transaction around this one. */
  sponsor?: Keypair;
}>;

/** A transaction in a ledger, in the words of both servers, who repeat the hash that they are asked for. */
export type LedgerTransaction = Readonly<{
  ledgerHash: string;
  innerHash: string | null;
  envelope: string;
  horizon(asked: string): Readonly<{ transaction: Record<string, unknown>; operations: object }>;
  rpc(asked: string): Record<string, unknown>;
}>;

export const PAYER = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7));
const FIRST_OF_ALL = new xdr.ExtensionPoint(0);

/** A signed transaction with these operations, put into a ledger. */
export function inLedger(operations: readonly LedgerOperation[], options: LedgerOptions = {}): LedgerTransaction {
  const { payer = PAYER, memo = Memo.none(), successful = true, ledger = 1234, sponsor } = options;
  const closedAt = options.closedAt ?? `${new Date().toISOString().slice(0, 19)}Z`;
  const inner = signed(operations, payer, memo);
  const outer = sponsor && bumped(inner, sponsor);
  const ledgerHash = (outer ?? inner).hash().toString('hex');
  const innerHash = outer ? inner.hash().toString('hex') : null;
  const envelope = (outer ?? inner).toXDR();
  const metadata = metadataOf(successful ? operations : []);
  const result = resultOf(operations, successful, innerHash);
  const memoFields = { memo_type: memo.type, ...(memo.type === 'none' ? {} : { memo: shown(memo) }) };
  return {
    ledgerHash,
    innerHash,
    envelope,
    horizon: (asked) => ({
      transaction: {
        id: asked,
        hash: asked,
        successful,
        ledger,
        created_at: closedAt,
        source_account: payer.publicKey(),
        operation_count: operations.length,
        envelope_xdr: envelope,
        result_xdr: result,
        result_meta_xdr: metadata,
        ...memoFields,
        ...(innerHash === null
          ? {}
          : { fee_bump_transaction: { hash: ledgerHash }, inner_transaction: { hash: innerHash, max_fee: '100' } }),
      },
      operations: {
        _embedded: {
          records: operations.map(({ horizon }, index) => ({
            id: String((BigInt(ledger) << 32n) + (1n << 12n) + BigInt(index + 1)),
            transaction_hash: asked,
            transaction_successful: successful,
            source_account: payer.publicKey(),
            ...horizon,
          })),
        },
      },
    }),
    rpc: (asked) => ({
      latestLedger: ledger + 5,
      latestLedgerCloseTime: String(Date.parse(closedAt) / 1_000 + 25),
      oldestLedger: 1,
      oldestLedgerCloseTime: '1',
      status: successful ? 'SUCCESS' : 'FAILED',
      txHash: asked,
      applicationOrder: 1,
      feeBump: innerHash !== null,
      envelopeXdr: envelope,
      resultXdr: result,
      resultMetaXdr: metadata,
      ledger,
      createdAt: String(Date.parse(closedAt) / 1_000),
      events: {
        contractEventsXdr: (successful ? operations : []).map(({ events }) => events.map((one) => one.toXDR('base64'))),
      },
    }),
  };
}

const shown = ({ type, value }: Memo): string =>
  type === 'hash' || type === 'return' ? Buffer.from(value as Buffer).toString('base64') : String(value);

/** No two transactions have the same hash. */
let sequence = 41;

function signed(operations: readonly LedgerOperation[], payer: Keypair, memo: Memo): Transaction {
  const options = { fee: '100', networkPassphrase: Networks.TESTNET, memo };
  const builder = new TransactionBuilder(new Account(payer.publicKey(), String((sequence += 1))), options).setTimeout(
    0,
  );
  for (const { operation } of operations) builder.addOperation(operation);
  const transaction = builder.build();
  transaction.sign(payer);
  return transaction;
}

function bumped(inner: Transaction, sponsor: Keypair): FeeBumpTransaction {
  const outer = TransactionBuilder.buildFeeBumpTransaction(sponsor, '10000', inner, Networks.TESTNET);
  outer.sign(sponsor);
  return outer;
}

export const metadataOf = (operations: readonly LedgerOperation[]): string =>
  new xdr.TransactionMeta(
    4,
    new xdr.TransactionMetaV4({
      ext: FIRST_OF_ALL,
      txChangesBefore: [],
      operations: operations.map(
        ({ events }) => new xdr.OperationMetaV2({ ext: FIRST_OF_ALL, changes: [], events: [...events] }),
      ),
      txChangesAfter: [],
      sorobanMeta: null,
      events: [],
      diagnosticEvents: [],
    }),
  ).toXDR('base64');

/** As before protocol 23: events only of a contract call, beside the operations. */
export const olderMetadataOf = ({ events }: LedgerOperation): string =>
  new xdr.TransactionMeta(
    3,
    new xdr.TransactionMetaV3({
      ext: FIRST_OF_ALL,
      txChangesBefore: [],
      operations: [new xdr.OperationMeta({ changes: [] })],
      txChangesAfter: [],
      sorobanMeta: new xdr.SorobanTransactionMeta({
        ext: new xdr.SorobanTransactionMetaExt(0),
        events: [...events],
        returnValue: xdr.ScVal.scvVoid(),
        diagnosticEvents: [],
      }),
    }),
  ).toXDR('base64');

function resultOf(operations: readonly LedgerOperation[], successful: boolean, innerHash: string | null): string {
  const results = operations.map(({ result }) => xdr.OperationResult.opInner(result));
  const ext = new xdr.TransactionResultExt(0);
  const feeCharged = new xdr.Int64(100);
  if (innerHash === null) {
    const { TransactionResultResult: Result } = xdr;
    const result = successful ? Result.txSuccess(results) : Result.txFailed(results);
    return new xdr.TransactionResult({ feeCharged, result, ext }).toXDR('base64');
  }
  const { InnerTransactionResultResult: InnerResult, TransactionResultResult: Result } = xdr;
  const inner = new xdr.InnerTransactionResultPair({
    transactionHash: Buffer.from(innerHash, 'hex'),
    result: new xdr.InnerTransactionResult({
      feeCharged,
      result: successful ? InnerResult.txSuccess(results) : InnerResult.txFailed(results),
      ext: new xdr.InnerTransactionResultExt(0),
    }),
  });
  const result = successful ? Result.txFeeBumpInnerSuccess(inner) : Result.txFeeBumpInnerFailed(inner);
  return new xdr.TransactionResult({ feeCharged, result, ext }).toXDR('base64');
}

export const USDC = new Asset('USDC', 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI');

const assetFields = (asset: Asset): object =>
  asset.isNative()
    ? { asset_type: 'native' }
    : { asset_type: asset.getAssetType(), asset_code: asset.getCode(), asset_issuer: asset.getIssuer() };

const baseOf = (address: string): string =>
  address.startsWith('M')
    ? StrKey.encodeEd25519PublicKey(StrKey.decodeMed25519PublicKey(address).subarray(0, 32))
    : address;

type Payment = Readonly<{ asset?: Asset; from?: string }>;
const listed = (to: string, amount: string, { asset = Asset.native(), from = PAYER.publicKey() }: Payment) => ({
  from: baseOf(from),
  to: baseOf(to),
  ...(to === baseOf(to) ? {} : { to_muxed: to, to_muxed_id: '1234' }),
  amount,
  ...assetFields(asset),
});
const source = ({ from }: Payment): object => (from === undefined ? {} : { source: from });

/** Since protocol 23 ordinary payments write an event, too. */
export const payment = (to: string, amount: string, more: Payment = {}): LedgerOperation => ({
  operation: Operation.payment({ destination: to, asset: more.asset ?? Asset.native(), amount, ...source(more) }),
  horizon: { type: 'payment', ...listed(to, amount, more) },
  result: xdr.OperationResultTr.payment(xdr.PaymentResult.paymentSuccess()),
  events: [
    assetEvent(more.asset ?? Asset.native(), ['transfer', more.from ?? PAYER.publicKey(), baseOf(to)], stroops(amount)),
  ],
});

/** `traded`: the payee's own offer was taken on the way, so that it receives something for what it sells. */
export const pathPayment = (
  kind: 'send' | 'receive',
  to: string,
  amount: string,
  more: Payment & Readonly<{ failed?: boolean; traded?: string }> = {},
): LedgerOperation => {
  const asset = more.asset ?? Asset.native();
  const path = { destination: to, sendAsset: USDC, destAsset: asset, path: [], ...source(more) };
  const last = new xdr.SimplePaymentResult({
    destination: Keypair.fromPublicKey(baseOf(to)).xdrPublicKey(),
    asset: asset.toXDRObject(),
    amount: xdr.Int64.fromString(stroops(amount).toString()),
  });
  const {
    OperationResultTr: Result,
    PathPaymentStrictSendResult: Sent,
    PathPaymentStrictReceiveResult: Received,
  } = xdr;
  const transfer = (paid: Asset, value: string) =>
    assetEvent(paid, ['transfer', more.from ?? PAYER.publicKey(), baseOf(to)], stroops(value));
  return {
    operation:
      kind === 'send'
        ? Operation.pathPaymentStrictSend({ ...path, sendAmount: '9', destMin: '0.0000001' })
        : Operation.pathPaymentStrictReceive({ ...path, sendMax: '9', destAmount: amount }),
    horizon: {
      type: `path_payment_strict_${kind}`,
      ...listed(to, more.failed && kind === 'send' ? '0.0000000' : amount, more),
      source_amount: '9.0000000',
      source_asset_type: 'credit_alphanum4',
    },
    result:
      kind === 'send'
        ? Result.pathPaymentStrictSend(
            more.failed
              ? Sent.pathPaymentStrictSendTooFewOffers()
              : Sent.pathPaymentStrictSendSuccess(new xdr.PathPaymentStrictSendResultSuccess({ offers: [], last })),
          )
        : Result.pathPaymentStrictReceive(
            Received.pathPaymentStrictReceiveSuccess(
              new xdr.PathPaymentStrictReceiveResultSuccess({ offers: [], last }),
            ),
          ),
    events: [...(more.traded === undefined ? [] : [transfer(asset, more.traded)]), transfer(asset, amount)],
  };
};

export const createAccount = (to: string, amount: string): LedgerOperation => ({
  operation: Operation.createAccount({ destination: to, startingBalance: amount }),
  horizon: { type: 'create_account', funder: PAYER.publicKey(), account: to, starting_balance: amount },
  result: xdr.OperationResultTr.createAccount(xdr.CreateAccountResult.createAccountSuccess()),
  events: [assetEvent(Asset.native(), ['transfer', PAYER.publicKey(), to], stroops(amount))],
});

export const manageData = (): LedgerOperation => ({
  operation: Operation.manageData({ name: 'note', value: 'none' }),
  horizon: { type: 'manage_data', name: 'note', value: 'bm9uZQ==' },
  result: xdr.OperationResultTr.manageData(xdr.ManageDataResult.manageDataSuccess()),
  events: [],
});

/** Some contract is called, for instance a smart wallet, with these events as its outcome. */
export const contractCall = (...events: xdr.ContractEvent[]): LedgerOperation => ({
  operation: new Contract(SOME_CONTRACT).call('pay'),
  horizon: { type: 'invoke_host_function', function: 'HostFunctionTypeHostFunctionTypeInvokeContract' },
  result: xdr.OperationResultTr.invokeHostFunction(
    xdr.InvokeHostFunctionResult.invokeHostFunctionSuccess(Buffer.alloc(32)),
  ),
  events,
});

export const SOME_CONTRACT = StrKey.encodeContract(Buffer.alloc(32, 3));

export const stroops = (amount: string): bigint => {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(7, '0'));
};

export const i128 = (amount: bigint): xdr.ScVal => nativeToScVal(amount, { type: 'i128' });

/** The data of an event where the payer named whom it is for beyond the address. */
export const withId = (amount: bigint, id: xdr.ScVal): xdr.ScVal =>
  xdr.ScVal.scvMap([
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('amount'), val: i128(amount) }),
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('to_muxed_id'), val: id }),
  ]);

/** `[name, …addresses]` about an asset, by its own contract or by another. */
export function assetEvent(
  asset: Asset,
  [name, ...addresses]: readonly [string, ...string[]],
  amount: bigint | xdr.ScVal,
  contract: string = asset.contractId(Networks.TESTNET),
): xdr.ContractEvent {
  const topics = [
    xdr.ScVal.scvSymbol(name),
    ...addresses.map((address) => nativeToScVal(address, { type: 'address' })),
    xdr.ScVal.scvString(asset.isNative() ? 'native' : asset.toString()),
  ];
  return new xdr.ContractEvent({
    ext: FIRST_OF_ALL,
    contractId: StrKey.decodeContract(contract) as never,
    type: xdr.ContractEventType.contract(),
    body: new xdr.ContractEventBody(
      0,
      new xdr.ContractEventV0({ topics, data: typeof amount === 'bigint' ? i128(amount) : amount }),
    ),
  });
}
