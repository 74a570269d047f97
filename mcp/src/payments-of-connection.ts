import { type AgentPaymentsClient, SvcError } from '../../sdk/src/index.ts';
import { ofAgentPayment, ofRequest, type Payment, type Status } from './tools/payment.ts';
import { ToolError } from './tool-errors.ts';
import { type WalletConnection } from './wallet-connection.ts';

export type Listed = Readonly<{ payments: readonly Payment[]; more: boolean }>;

/**
 * The connection's payments, requested (pr_…) or made under a policy (ap_…). An API key sees all of its merchant's:
 * those of another person's connection are treated as nonexistent.
 */
export class PaymentsOfConnection {
  constructor(private readonly wallet: WalletConnection) {}

  async read(id: string): Promise<Payment> {
    const agent = await this.wallet.connected();
    if (!id.startsWith('ap_')) return ofRequest(await agent.readPaymentRequest(id));
    try {
      return await this.underPolicy(id);
    } catch (error) {
      if (!isUnseen(error)) throw error;
      // The agent may have chosen such an id for a request of its own.
      const request = await agent.readPaymentRequest(id).catch((other: unknown) => {
        throw isUnseen(other) ? error : other;
      });
      return ofRequest(request);
    }
  }

  /** The payment as it is then: withdrawn, or what it has become meanwhile. */
  async withdraw(id: string, reason: string | undefined): Promise<Payment> {
    const agent = await this.wallet.connected();
    const input = reason === undefined ? {} : { reason };
    try {
      // The key reaches other connections' payments too, so it is used only for one that was seen to be ours.
      return (await this.isUnderPolicy(id))
        ? ofAgentPayment(await this.wallet.paymentsTo('read').withdraw(id, input))
        : ofRequest(await agent.withdrawPaymentRequest(id, input));
    } catch (error) {
      if (error instanceof SvcError && error.code === 'invalid_status_transition') return this.read(id);
      throw error;
    }
  }

  private async isUnderPolicy(id: string): Promise<boolean> {
    if (!id.startsWith('ap_') || !this.seesAgentPayments) return false;
    try {
      await this.underPolicy(id);
      return true;
    } catch (error) {
      // The agent may have chosen such an id for a request of its own.
      if (isUnseen(error)) return false;
      throw error;
    }
  }

  private async underPolicy(id: string): Promise<Payment> {
    const payments = this.wallet.paymentsTo('read');
    const [connectionId, made] = await Promise.all([this.wallet.connectionId(), payments.read(id)]);
    if (made.connection_id === connectionId) return ofAgentPayment(made);
    throw new SvcError({
      code: 'resource_not_found',
      status: 404,
      message: 'There is no such payment.',
      requestId: '',
    });
  }

  /** The payment for an order reference, whichever tool made it. */
  async find(reference: string): Promise<Payment | undefined> {
    const agent = await this.wallet.connected();
    const [request, made] = await Promise.all([
      agent.findPaymentRequest(reference),
      this.visible((payments, connection_id) => payments.find(reference, { connection_id })),
    ]);
    if (request) return ofRequest(request);
    return made && ofAgentPayment(made);
  }

  /** Newest first. */
  async list(limit: number, status: Status | undefined): Promise<Listed> {
    const agent = await this.wallet.connected();
    const [requests, made] = await Promise.all([
      status === 'intent_created' ? undefined : agent.listPaymentRequests({ limit, ...(status ? { status } : {}) }),
      status === 'pending'
        ? undefined
        : this.visible((payments, connection_id) =>
            payments.list({ limit, connection_id, ...(status ? { status } : {}) }),
          ),
    ]);
    const all = [
      ...(requests?.payment_requests.map(ofRequest) ?? []),
      ...(made?.agent_payments.map(ofAgentPayment) ?? []),
    ].sort((one, other) => (one.shown.created_at < other.shown.created_at ? 1 : -1));
    const more = all.length > limit || [requests, made].some((page) => page && page.next_cursor !== null);
    return { payments: all.slice(0, limit), more };
  }

  /** Whether payments under a policy can be seen at all. */
  get seesAgentPayments(): boolean {
    return this.wallet.hasApiKey;
  }

  private async visible<T>(
    look: (payments: AgentPaymentsClient, connectionId: string) => Promise<T>,
  ): Promise<T | undefined> {
    if (!this.seesAgentPayments) return undefined;
    return look(this.wallet.paymentsTo('read'), await this.wallet.connectionId());
  }
}

/** It does not exist, or cannot be seen without an API key. */
const isUnseen = (error: unknown): boolean =>
  error instanceof ToolError
    ? error.failure.code === 'api_key_missing'
    : error instanceof SvcError && error.code === 'resource_not_found';
