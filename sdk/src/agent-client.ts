import { Connecting } from './connecting.ts';
import { incomplete } from './envelope.ts';
import { type CatalogueError, SvcError } from './errors.ts';
import { followEvents, type FollowOptions } from './follow-events.ts';
import { RequestWaiter, type WaitOptions } from './request-waiter.ts';
import { type Call, type CallOptions, type KeyedOptions, making, newKey, path } from './transport.ts';
import { type NextCursor, type Page } from './types/common.ts';
import { type Connection, type CurrentConnection } from './types/connect.ts';
import {
  type DuplicateRequest,
  type EventPage,
  type NewPaymentRequest,
  type NewTransactionContext,
  type PayableRecipient,
  type PaymentRequest,
  type PaymentRequestEvent,
  type PaymentStatus,
  type TransactionContext,
} from './types/payment.ts';
import { type TimelineEntry } from './types/review.ts';

export type CreatedPaymentRequest = Readonly<{
  payment_request: PaymentRequest;
  /** True if this key had been used before: the request as it is now. */
  replayed: boolean;
  /** The key to repeat the call with if in doubt. */
  idempotency_key: string;
  /** Open or confirmed requests of the last 24 hours for the same recipient and amount. */
  duplicates: readonly DuplicateRequest[];
}>;

/** What an agent does: connect to a person's wallet, request payments, and follow their status. */
export class AgentClient extends Connecting {
  #waiter = new RequestWaiter(this);

  override useConnection(connectionToken: string | (() => string | Promise<string>)): void {
    super.useConnection(connectionToken);
    // Another connection numbers its events from the start.
    this.#waiter = new RequestWaiter(this);
  }

  async currentConnection(options?: CallOptions): Promise<CurrentConnection> {
    return (await this.connected<CurrentConnection>({ method: 'GET', path: '/v1/connections/current', options })).body;
  }

  /** The merchant's recipients that can currently be paid. */
  async listPayees(query: Page = {}, options?: CallOptions) {
    const call: Call = { method: 'GET', path: '/v1/payees', query, options };
    return (await this.connected<NextCursor & Readonly<{ payees: readonly PayableRecipient[] }>>(call)).body;
  }

  /** What the person reads next to the amount. Using the same `transaction_id` again adds a revision. */
  async describeTransaction(input: NewTransactionContext, options?: KeyedOptions): Promise<TransactionContext> {
    const call = making('/v1/transaction-contexts', input, options);
    return (await this.connected<{ transaction_context: TransactionContext }>(call)).body.transaction_context;
  }

  async readTransaction(transactionId: string, options?: CallOptions): Promise<TransactionContext> {
    const call: Call = { method: 'GET', path: path`/v1/transaction-contexts/${transactionId}`, options };
    return (await this.connected<{ transaction_context: TransactionContext }>(call)).body.transaction_context;
  }

  /**
   * Requests a payment: it then waits in the person's wallet and nothing is paid yet. An idempotency key is always
   * sent; one of your own (such as an order number) makes the call safe to repeat from anywhere.
   */
  async createPaymentRequest(input: NewPaymentRequest, options: KeyedOptions = {}): Promise<CreatedPaymentRequest> {
    const { idempotencyKey = input.idempotency_key ?? newKey(), ...rest } = options;
    const { body, headers, status } = await this.connected<{
      payment_request?: PaymentRequest;
      duplicates?: readonly DuplicateRequest[];
    }>({
      method: 'POST',
      path: '/v1/payment-requests',
      body: { policy: { requires_user_approval: true }, ...input },
      idempotencyKey,
      options: rest,
    });
    if (body.payment_request === undefined) throw incomplete(status, idempotencyKey);
    return {
      payment_request: body.payment_request,
      replayed: headers.get('idempotent-replayed') === 'true',
      idempotency_key: idempotencyKey,
      duplicates: body.duplicates ?? [],
    };
  }

  /** What a key has created on this connection; undefined if nothing. For use after a response was lost. */
  async findPaymentRequest(idempotencyKey: string, options?: CallOptions): Promise<PaymentRequest | undefined> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/by-key/${idempotencyKey}`, options };
    try {
      return (await this.connected<{ payment_request: PaymentRequest }>(call)).body.payment_request;
    } catch (error) {
      if (error instanceof SvcError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  /** Takes back what nobody has signed yet; what was withdrawn before stays as it is. */
  async withdrawPaymentRequest(
    requestId: string,
    input: Readonly<{ reason?: string }> = {},
    options?: CallOptions,
  ): Promise<PaymentRequest> {
    const place = path`/v1/payment-requests/${requestId}/withdraw`;
    const call: Call = { method: 'POST', path: place, body: input, options };
    return (await this.connected<{ payment_request: PaymentRequest }>(call)).body.payment_request;
  }

  /** Ends the connection of this token for good; what it has asked for and nobody has signed is withdrawn. */
  async endConnection(connectionId: string, options?: CallOptions): Promise<Connection> {
    const call: Call = { method: 'DELETE', path: path`/v1/connections/${connectionId}`, options };
    return (await this.connected<{ connection: Connection }>(call)).body.connection;
  }

  /** All its events, in order. */
  async readTimeline(requestId: string, options?: CallOptions): Promise<readonly TimelineEntry[]> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/${requestId}/timeline`, options };
    return (await this.connected<{ timeline: readonly TimelineEntry[] }>(call)).body.timeline;
  }

  async readPaymentRequest(requestId: string, options?: CallOptions): Promise<PaymentRequest> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/${requestId}`, options };
    return (await this.connected<{ payment_request: PaymentRequest }>(call)).body.payment_request;
  }

  /** Every error code, with what to do about it. */
  async listErrors(options?: CallOptions): Promise<readonly CatalogueError[]> {
    const call: Call = { method: 'GET', path: '/v1/errors', options };
    return (await this.anybody<{ errors: readonly CatalogueError[] }>(call)).errors;
  }

  async listPaymentRequests(query: Page & Readonly<{ status?: PaymentStatus }> = {}, options?: CallOptions) {
    const call: Call = { method: 'GET', path: '/v1/payment-requests', query, options };
    return (await this.connected<NextCursor & Readonly<{ payment_requests: readonly PaymentRequest[] }>>(call)).body;
  }

  /** One page of events after `since`; `wait` holds back an empty response for that many seconds. */
  async pollEvents(
    query: Readonly<{ since?: number; limit?: number; wait?: number }> = {},
    options: CallOptions = {},
  ): Promise<EventPage> {
    const timeoutMs = options.timeoutMs ?? 30_000 + (query.wait ?? 0) * 1000;
    const call: Call = {
      method: 'GET',
      path: '/v1/payment-requests/events',
      query,
      options: { ...options, timeoutMs },
    };
    return (await this.connected<EventPage>(call)).body;
  }

  /** `for await (const event of agent.events({ since }))`: every event as it arrives, over long polls. */
  events(options: FollowOptions = {}): AsyncGenerator<PaymentRequestEvent> {
    const { signal } = options;
    return followEvents((query) => this.pollEvents(query, signal ? { signal } : {}), options);
  }

  /** Resolves with the request once it is final, or once `until` returns true. */
  waitForPaymentRequest(requestId: string, options: WaitOptions = {}): Promise<PaymentRequest> {
    return this.#waiter.waitFor(requestId, options);
  }
}
