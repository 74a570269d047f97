import { Inject, Injectable } from '@nestjs/common';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { mergedPage } from '../../http/input/merged-pages';
import { type OwnPage } from '../../http/input/own-documents';
import { cursorOf, listMark, pageOf } from '../../http/input/pagination';
import { isIdIn, type MerchantId } from '../../kernel/aggregates';
import { RecentlyUsed } from '../../kernel/recently-used';
import {
  READ_MODEL,
  READ_MODEL_STORE,
  type ReadModel,
  type ReadModelStore,
} from '../../platform/read-model/read-model.port';
import { placesOf } from '../payments/request-names';
import { type ListDeliveriesInput } from './webhooks.dto';

const MAX_CACHED = 10_000;

type Deliveries = readonly WebhookDeliveryDocument[];

/**
 * Deliveries are stored under the id of the stream they report. If the agent chose a payment request's id, the stream
 * has another id, which no party knows: merchants are shown, and search by, the chosen one.
 */
@Injectable()
export class DeliverySubjects {
  /** Request ids by stream, which never change. Cached, because each request document may be as large as 64 KiB. */
  private readonly known = new RecentlyUsed<string, string>(MAX_CACHED);

  constructor(
    @Inject(READ_MODEL_STORE) private readonly model: ReadModelStore,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /** Replaces stream ids by the request ids that the merchant knows. */
  async named(deliveries: Deliveries): Promise<Deliveries> {
    const names = await this.namesOf(new Set(deliveries.filter(isOfRequest).map(({ subject_id }) => subject_id)));
    return deliveries.map((one) => ({ ...one, subject_id: names.get(one.subject_id) ?? one.subject_id }));
  }

  private async namesOf(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const names = new Map([...ids].map((id) => [id, this.known.get(id)] as const).filter(isNamed));
    const refs = [...ids].filter((id) => !names.has(id)).map((id) => ({ collection: paymentRequests, id }));
    for (const stored of refs.length === 0 ? [] : await this.model.load(refs)) {
      if (stored === undefined) continue;
      const { id, request_id } = stored.document as PaymentRequestDocument;
      names.set(id, request_id);
      this.known.set(id, request_id);
    }
    return names;
  }

  /** Deliveries about every subject that the merchant knows by this name, newest first. */
  async page(
    name: string,
    merchantId: MerchantId,
    input: ListDeliveriesInput,
  ): Promise<OwnPage<WebhookDeliveryDocument>> {
    const { endpoint_id, status } = input;
    const list = listMark(webhookDeliveries.name, { merchant_id: merchantId, subject: name, endpoint_id, status });
    const page = { ...pageOf(input, list), order: 'desc' } as const;
    const ids = await this.idsOf(name, merchantId);
    const pages = await Promise.all(
      ids.map((id) => this.readModel.find(webhookDeliveries, 'by_subject', [merchantId, id], page)),
    );
    const { documents, next } = mergedPage(pages, page.limit);
    return { documents, next_cursor: cursorOf(next, list) };
  }

  /**
   * The ids under which deliveries are stored. An agent may give its request any id, even that of a connection or an
   * agent payment: then the name means both, so that neither hides the other.
   */
  private async idsOf(name: string, merchantId: MerchantId): Promise<readonly string[]> {
    const other = isIdIn('connection', name) || isIdIn('agent_payment', name) ? [name] : [];
    for (const place of placesOf(merchantId, name)) {
      const request = await this.readModel.get(paymentRequests, place);
      if (request?.request_id === name && request.merchant_id === merchantId) return [...new Set([...other, place])];
    }
    return [name];
  }
}

const isOfRequest = ({ event_type }: WebhookDeliveryDocument): boolean => event_type.startsWith('payment_request.');

const isNamed = (entry: readonly [string, string | undefined]): entry is readonly [string, string] =>
  entry[1] !== undefined;
