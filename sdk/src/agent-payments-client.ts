import { incomplete } from './envelope.ts';
import { SvcError } from './errors.ts';
import {
  type Call,
  type CallOptions,
  type ClientOptions,
  type KeyedOptions,
  newKey,
  path,
  Transport,
} from './transport.ts';
import {
  type AgentPayment,
  type AgentPaymentFilters,
  type AgentPayments,
  type AutomationPolicies,
  type AutomationPolicyWithPayees,
  type NewAgentPayment,
  type PolicyEvaluation,
} from './types/agent-payment.ts';
import { type PaymentProof } from './types/audit.ts';
import { type Page } from './types/common.ts';
import { type Settlement } from './types/payment.ts';
import { type TimelineEntry } from './types/review.ts';

export type AgentPaymentsClientOptions = ClientOptions & Readonly<{ apiKey: string }>;

/** The agent-payment API with a project API key. Responses are unwrapped: you get what is in `data`. */
export class AgentPaymentsClient {
  readonly #transport: Transport;
  readonly #apiKey: string;

  constructor(options: AgentPaymentsClientOptions) {
    this.#transport = new Transport(options);
    this.#apiKey = options.apiKey;
  }

  /**
   * Creates an intent. With `initiator: 'agent'` it must stay within a policy its user opted in to; otherwise it is
   * refused with `HC_NC_5_HITL_REQUIRED` and may be sent again, with the same key, as `human`. A key is always sent.
   */
  create(input: NewAgentPayment, options: KeyedOptions = {}): Promise<AgentPayment> {
    const { idempotencyKey = input.idempotency_key ?? newKey(), ...rest } = options;
    return this.#send({ method: 'POST', path: '/v1/agent-payments', body: input, idempotencyKey, options: rest });
  }

  /** Whether an agent may make this payment alone right now. Nothing is made or reserved. */
  evaluate(input: Omit<NewAgentPayment, 'initiator'>, options?: CallOptions): Promise<PolicyEvaluation> {
    return this.#send({ method: 'POST', path: '/v1/automation-policies/evaluate', body: input, options });
  }

  /** Includes its authoritative status. */
  read(id: string, options?: CallOptions): Promise<AgentPayment> {
    return this.#send({ method: 'GET', path: path`/v1/agent-payments/${id}`, options });
  }

  /** Takes back what the wallet has not signed yet; its amount goes back to its policy. */
  withdraw(id: string, input: Readonly<{ reason?: string }> = {}, options?: CallOptions): Promise<AgentPayment> {
    return this.#send({ method: 'POST', path: path`/v1/agent-payments/${id}/withdraw`, body: input, options });
  }

  /** All its events, in order. */
  async readTimeline(id: string, options?: CallOptions): Promise<readonly TimelineEntry[]> {
    const place = path`/v1/agent-payments/${id}/timeline`;
    const data = await this.#send<{ timeline: readonly TimelineEntry[] }>({ method: 'GET', path: place, options });
    return data.timeline;
  }

  /** What the log says about it, verifiable without the service. */
  async proof(id: string, options?: CallOptions): Promise<PaymentProof> {
    const place = path`/v1/agent-payments/${id}/proof`;
    return (await this.#send<{ proof: PaymentProof }>({ method: 'GET', path: place, options })).proof;
  }

  /** Has the reported transaction looked up on its network again; returns what was known before. */
  async checkSettlement(id: string, options?: CallOptions): Promise<Settlement | null> {
    const place = path`/v1/agent-payments/${id}/settlement-checks`;
    const call: Call = { method: 'POST', path: place, body: {}, options };
    return (await this.#send<{ settlement: Settlement | null }>(call)).settlement;
  }

  /**
   * What a key has made; undefined if nothing. For use after a response was lost. With `connection_id` the key may be
   * the connection's (`idempotency_scope: 'connection'`) or the merchant's; without, it is the merchant's.
   */
  async find(
    idempotencyKey: string,
    query: Readonly<{ connection_id?: string }> = {},
    options?: CallOptions,
  ): Promise<AgentPayment | undefined> {
    try {
      return await this.#send({
        method: 'GET',
        path: path`/v1/agent-payments/by-key/${idempotencyKey}`,
        query,
        options,
      });
    } catch (error) {
      if (error instanceof SvcError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  list(query: Page & AgentPaymentFilters = {}, options?: CallOptions): Promise<AgentPayments> {
    return this.#send({ method: 'GET', path: '/v1/agent-payments', query, options });
  }

  readPolicy(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    return this.#send({ method: 'GET', path: path`/v1/automation-policies/${id}`, options });
  }

  listPolicies(
    query: Page & Readonly<{ connection_id?: string }> = {},
    options?: CallOptions,
  ): Promise<AutomationPolicies> {
    return this.#send({ method: 'GET', path: '/v1/automation-policies', query, options });
  }

  async #send<T>(call: Call): Promise<T> {
    const proof = { headers: { 'x-svc-api-key': this.#apiKey } };
    const { body, status } = await this.#transport.send<{ data?: T }>(call, proof);
    if (body.data === undefined) throw incomplete(status, call.idempotencyKey);
    return body.data;
  }
}
