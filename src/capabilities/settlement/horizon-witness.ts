import { HASH, UnreadableAnswer } from './answers';
import { contractEventsIn, ContractTransfers } from './contract-transfers';
import {
  callsContract,
  classicTransfers,
  type ListedOperation,
  readOperations,
  readTransaction,
  type TransactionAnswer,
} from './horizon-answers';
import { type NetworkServer } from './network-server';
import { stellarLibrary } from './stellar-library';
import { type SettledTransfer, type SettlementWitness, type Sighting } from './witness.port';

/** Queries one Horizon server: the transaction by its hash, then its operations. Any doubtful response is `unclear`. */
export class HorizonWitness implements SettlementWitness {
  readonly name: string;

  constructor(
    private readonly server: NetworkServer,
    private readonly passphrase: string,
  ) {
    this.name = server.host;
  }

  async look(hash: string, signal: AbortSignal): Promise<Sighting> {
    // No transaction has such a hash, and it must not become part of a URL. Upper case is refused, too: a merchant that
    // compares hashes in order to ship once per transaction would see two.
    if (!HASH.test(hash)) return { kind: 'not_found' };
    return this.server.sighting(async () => {
      const body = await this.server.ask({ path: `/transactions/${hash}`, signal });
      if (body === undefined) return { kind: 'not_found' };
      const answer = readTransaction(body, hash);
      const transfers = await this.transfers(answer, await this.operations(hash, answer, signal));
      return { kind: 'found', transaction: { ...answer.known, transfers } };
    });
  }

  private async operations(
    hash: string,
    answer: TransactionAnswer,
    signal: AbortSignal,
  ): Promise<readonly ListedOperation[]> {
    // Some servers keep only the list of payments.
    for (const list of ['operations', 'payments'] as const) {
      // A transaction has at most a hundred.
      const query = { limit: '200' };
      const body = await this.server.ask({ path: `/transactions/${hash}/${list}`, query, signal });
      if (body !== undefined) return readOperations(body, answer, list);
    }
    throw new UnreadableAnswer('it does not list the operations');
  }

  /**
   * The list of operations shows what a call changed as well, but neither in which order nor by whose word; the events
   * are in the metadata, which a server may not keep.
   */
  private async transfers(
    { known, metadata }: TransactionAnswer,
    operations: readonly ListedOperation[],
  ): Promise<readonly SettledTransfer[]> {
    // A call that failed changed nothing.
    if (!known.successful || !operations.some(callsContract)) return operations.flatMap(classicTransfers);
    const stellar = await stellarLibrary();
    const calls = new ContractTransfers(stellar, this.passphrase);
    return operations.flatMap((operation) =>
      callsContract(operation)
        ? calls.in(operation.index, contractEventsIn(stellar, metadata, operation.index))
        : classicTransfers(operation),
    );
  }
}
