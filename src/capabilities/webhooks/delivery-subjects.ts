import { Inject, Injectable } from '@nestjs/common';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { type WebhookDeliveryDocument } from '../../../projections/webhook-deliveries.projection';
import { isIdIn, type MerchantId } from '../../kernel/aggregates';
import { READ_MODEL_STORE, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { placesOf } from '../payments/request-names';

type Deliveries = readonly WebhookDeliveryDocument[];

/**
 * Deliveries are kept by the stream they tell of. If the agent chose a payment request's id, the stream has another,
 * which no party knows: merchants are shown, and search by, the chosen one.
 */
@Injectable()
export class DeliverySubjects {
  constructor(@Inject(READ_MODEL_STORE) private readonly model: ReadModelStore) {}

  /** With the names that their merchant knows. */
  async named(deliveries: Deliveries): Promise<Deliveries> {
    const ids = [...new Set(deliveries.filter(isOfRequest).map(({ subject_id }) => subject_id))];
    const stored =
      ids.length === 0 ? [] : await this.model.load(ids.map((id) => ({ collection: paymentRequests, id })));
    const names = new Map(
      stored.flatMap((one) => {
        if (one === undefined) return [];
        const { id, request_id } = one.document as PaymentRequestDocument;
        return [[id, request_id] as const];
      }),
    );
    return deliveries.map((one) => ({ ...one, subject_id: names.get(one.subject_id) ?? one.subject_id }));
  }

  /** What deliveries about the subject of this name are kept by. */
  async idOf(name: string, merchantId: MerchantId): Promise<string> {
    if (isIdIn('connection', name) || isIdIn('agent_payment', name)) return name;
    for (const place of placesOf(merchantId, name)) {
      const request = await this.model.get(paymentRequests, place);
      if (request?.request_id === name && request.merchant_id === merchantId) return place;
    }
    return name;
  }
}

const isOfRequest = ({ event_type }: WebhookDeliveryDocument): boolean => event_type.startsWith('payment_request.');
