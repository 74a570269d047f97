import { Inject, Injectable } from '@nestjs/common';
import {
  feedEntryId,
  paymentRequestEvents,
  type PaymentRequestEventView,
  paymentRequestEventView,
} from '../../../projections/payment-request-events.projection';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

export type FeedPage = Readonly<{
  events: readonly PaymentRequestEventView[];
  /** The last cursor the caller has now seen. */
  next_cursor: number;
  has_more: boolean;
}>;

/** Asks again whether the caller may see the events; rejects with the reason if not. */
export type StillAllowed = () => Promise<unknown>;

/** The status events of a connection, in the order and under the numbers they will always have. */
@Injectable()
export class EventFeed {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  async page(connectionId: string, since: number, limit: number): Promise<FeedPage> {
    const after = since === 0 ? {} : { after: { sort: since, id: feedEntryId(connectionId, since) } };
    const page = { limit, order: 'asc', ...after } as const;
    const { documents, next } = await this.readModel.find(paymentRequestEvents, 'by_connection', [connectionId], page);
    return {
      events: documents.map(paymentRequestEventView),
      next_cursor: documents.at(-1)?.cursor ?? since,
      has_more: next !== null,
    };
  }
}
