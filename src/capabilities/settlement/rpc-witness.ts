import { HASH, UnreadableAnswer } from './answers';
import { type NetworkServer } from './network-server';
import { readRpcTransaction } from './rpc-answers';
import { stellarLibrary } from './stellar-library';
import { type SettlementWitness, type Sighting } from './witness.port';

/**
 * Queries one Stellar RPC server. It forgets transactions after about a week, and those older than that are not found:
 * nobody can tell them from those that never were.
 */
export class RpcWitness implements SettlementWitness {
  readonly name: string;

  constructor(
    private readonly server: NetworkServer,
    private readonly passphrase: string,
  ) {
    this.name = server.host;
  }

  async look(hash: string, signal: AbortSignal): Promise<Sighting> {
    if (!HASH.test(hash)) return { kind: 'not_found' };
    return this.server.sighting(async () => {
      const params = { hash, xdrFormat: 'base64' };
      const body = { jsonrpc: '2.0', id: 1, method: 'getTransaction', params };
      const answer = await this.server.ask({ body, signal });
      if (answer === undefined) throw new UnreadableAnswer('HTTP 404');
      const transaction = readRpcTransaction(await stellarLibrary(), this.passphrase, answer, hash);
      return transaction ? { kind: 'found', transaction } : { kind: 'not_found' };
    });
  }
}
