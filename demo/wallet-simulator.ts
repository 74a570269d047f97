import { createHash, randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import { type PaymentRequest, WalletClient } from '../sdk/src/index.ts';

/**
 * Stands in for a person's wallet. Its key never leaves it; it signs the payment facts as the service shows them. A
 * real wallet would build its chain's transaction from the same facts; this one contacts no chain.
 */
export class WalletSimulator {
  private readonly key = nacl.sign.keyPair();
  private constructor(readonly client: WalletClient) {}

  static async register(baseUrl: string): Promise<WalletSimulator> {
    const { wallet } = await WalletClient.register({ baseUrl }, { name: 'Demo phone', platform: 'simulator' });
    return new WalletSimulator(wallet);
  }

  /** What the person is shown before deciding. */
  async review(requestId: string): Promise<string> {
    const { payment_request: request, transaction_context: context } = await this.client.readPaymentRequest(requestId);
    const { payment, payee } = request;
    return `"${context?.title ?? 'no description'}", ${payment.amount} ${payment.asset} to ${payee.name} (${payee.domain})`;
  }

  /** The person approved: signs locally and reports it. Returns the hash that identifies the transaction. */
  async approve(requestId: string): Promise<string> {
    const { payment_request: request } = await this.client.readPaymentRequest(requestId);
    // The random part keeps others, who may know the facts, from computing the hash.
    const signature = nacl.sign.detached(Buffer.concat([factsOf(request), randomBytes(4)]), this.key.secretKey);
    const transaction_hash = createHash('sha256').update(signature).digest('hex');
    await this.client.reportPaymentRequest(requestId, { status: 'signed', transaction_hash });
    return transaction_hash;
  }

  async broadcast(requestId: string, transaction_hash: string): Promise<void> {
    await this.client.reportPaymentRequest(requestId, { status: 'broadcasted', transaction_hash });
  }

  async confirm(requestId: string, transaction_hash: string, ledger: number): Promise<void> {
    await this.client.reportPaymentRequest(requestId, { status: 'confirmed', transaction_hash, ledger });
  }
}

const factsOf = ({ request_id, payment }: PaymentRequest): Uint8Array =>
  new Uint8Array(Buffer.from(JSON.stringify({ request_id, payment })));
