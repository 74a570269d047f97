import { type CallOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type PaymentProof } from '../types/audit.ts';
import { type TimelineEntry } from '../types/review.ts';
import {
  type PaymentRequest,
  type PaymentRequestFilters,
  type RequestWithContext,
  type Settlement,
} from '../types/payment.ts';
import { type MerchantSession } from './session.ts';

/** The payments that the merchant's agents have requested, and their outcome. */
export class MerchantPayments {
  constructor(private readonly session: MerchantSession) {}

  list(query: Page & PaymentRequestFilters = {}, options?: CallOptions) {
    type Requests = NextCursor & Readonly<{ payment_requests: readonly PaymentRequest[] }>;
    return this.session.get<Requests>('/v1/payment-requests', query, options);
  }

  /** With `as_of`, as it was at that time. */
  async read(id: string, query: Readonly<{ as_of?: string }> = {}, options?: CallOptions): Promise<PaymentRequest> {
    const place = path`/v1/payment-requests/${id}`;
    return (await this.session.get<{ payment_request: PaymentRequest }>(place, query, options)).payment_request;
  }

  /** With the context the agent had written when it asked; `newer_revision` if it has written another one since. */
  readWithContext(id: string, options?: CallOptions): Promise<RequestWithContext> {
    return this.session.get<RequestWithContext>(path`/v1/payment-requests/${id}`, {}, options);
  }

  /** Takes back what nobody has signed yet; what was withdrawn before stays as it is. */
  async withdraw(
    id: string,
    input: Readonly<{ reason?: string }> = {},
    options?: CallOptions,
  ): Promise<PaymentRequest> {
    const place = path`/v1/payment-requests/${id}/withdraw`;
    return (await this.session.post<{ payment_request: PaymentRequest }>(place, input, options)).payment_request;
  }

  /** Has the reported transaction looked up on its network again; returns what was known before. */
  async checkSettlement(id: string, options?: CallOptions): Promise<Settlement | null> {
    const place = path`/v1/payment-requests/${id}/settlement-checks`;
    return (await this.session.post<{ settlement: Settlement | null }>(place, {}, options)).settlement;
  }

  /** All its events, in order. */
  async readTimeline(id: string, options?: CallOptions): Promise<readonly TimelineEntry[]> {
    const place = path`/v1/payment-requests/${id}/timeline`;
    return (await this.session.get<{ timeline: readonly TimelineEntry[] }>(place, {}, options)).timeline;
  }

  /** What the log says about it, verifiable without the service. */
  async proof(id: string, options?: CallOptions): Promise<PaymentProof> {
    return (await this.session.get<{ proof: PaymentProof }>(path`/v1/payment-requests/${id}/proof`, {}, options)).proof;
  }
}
