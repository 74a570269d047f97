import { Inject, Injectable } from '@nestjs/common';
import {
  feedEntryId,
  paymentRequestEvents,
  type PaymentRequestEventView,
  paymentRequestEventView,
} from '../../projections/payment-request-events.projection';
import { type ConnectionCaller } from '../http/guards/connection.guard';
import { READ_MODEL, type ReadModel } from '../read-model/read-model.port';
import { type Listening, NewsBell } from './news-bell';

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
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    private readonly bell: NewsBell,
  ) {}

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

  /** As page, but holds an empty answer back until there is an event, the time is over, or the caller has gone. */
  async nextPage(
    caller: ConnectionCaller,
    { since, limit, waitMs }: Readonly<{ since: number; limit: number; waitMs: number }>,
    stillAllowed: StillAllowed,
    whenGone: (leave: () => void) => void,
  ): Promise<FeedPage> {
    if (waitMs === 0) return this.page(caller.connectionId, since, limit);
    const deadline = Date.now() + waitMs;
    let listening: Listening | undefined;
    whenGone(() => listening?.stop());
    try {
      for (;;) {
        // Listening begins before looking, so that nothing falls in between.
        listening = this.bell.listen(caller, deadline);
        const page = await this.page(caller.connectionId, since, limit);
        if (page.events.length > 0 || (await listening.heard) !== 'news') return page;
        await stillAllowed();
      }
    } finally {
      listening?.stop();
    }
  }
}
