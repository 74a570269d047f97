import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import {
  type AgentPayment,
  type AgentPaymentFilters,
  type AgentPayments,
  type AutomationPolicies,
  type AutomationPolicyWithPayees,
  type NewAutomationPolicy,
  type PolicySimulation,
  type SimulatedThresholds,
  type Thresholds,
} from '../types/agent-payment.ts';
import { type Page } from '../types/common.ts';
import { type MerchantSession } from './session.ts';

/** Automation policies, and the agent payments made under them or without them. Responses are unwrapped. */
export class MerchantPolicies {
  constructor(private readonly session: MerchantSession) {}

  /** A proposal: it takes effect once the wallet's owner has opted in. */
  async create(input: NewAutomationPolicy, options?: KeyedOptions): Promise<AutomationPolicyWithPayees> {
    return (await this.session.make<{ data: AutomationPolicyWithPayees }>('/v1/automation-policies', input, options))
      .data;
  }

  /** Any change needs a new opt-in. */
  async change(
    id: string,
    input: Partial<Thresholds> & Readonly<{ version: number }>,
    options?: CallOptions,
  ): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}`;
    return (await this.session.patch<{ data: AutomationPolicyWithPayees }>(place, input, options)).data;
  }

  async revoke(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}`;
    return (await this.session.delete<{ data: AutomationPolicyWithPayees }>(place, options)).data;
  }

  async read(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}`;
    return (await this.session.get<{ data: AutomationPolicyWithPayees }>(place, {}, options)).data;
  }

  async list(query: Page & Readonly<{ connection_id?: string }> = {}, options?: CallOptions) {
    return (await this.session.get<{ data: AutomationPolicies }>('/v1/automation-policies', query, options)).data;
  }

  /** What other thresholds would have done with every intent this policy decided. Nothing is changed. */
  async simulate(id: string, input: SimulatedThresholds, options?: CallOptions): Promise<PolicySimulation> {
    const place = path`/v1/automation-policies/${id}/simulate`;
    return (await this.session.post<{ data: PolicySimulation }>(place, input, options)).data;
  }

  async readPayment(id: string, options?: CallOptions): Promise<AgentPayment> {
    return (await this.session.get<{ data: AgentPayment }>(path`/v1/agent-payments/${id}`, {}, options)).data;
  }

  async listPayments(query: Page & AgentPaymentFilters = {}, options?: CallOptions) {
    return (await this.session.get<{ data: AgentPayments }>('/v1/agent-payments', query, options)).data;
  }
}
