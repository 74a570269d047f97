import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  feedEntryId,
  paymentRequestEvents,
  paymentRequestFeeds,
  type PaymentRequestEventView,
  paymentRequestEventView,
} from '../../../projections/payment-request-events.projection';
import { type ConnectionCaller } from '../../access/connection.guard';
import { type Feed, type FeedPage } from '../../http/feeds/feed';
import { FeedAnswers } from '../../http/feeds/feed-answers';
import { parseStreamName, streamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

type Parties = Pick<ConnectionCaller, 'connectionId' | 'agentId' | 'deviceId'>;

/** The status events of a connection, in the order and under the numbers they will always have. */
@Injectable()
export class EventFeed implements OnModuleInit {
  constructor(
    private readonly projector: Projector,
    private readonly answers: FeedAnswers,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => {
      for (const { stream, data } of events) {
        if (parseStreamName(stream).category !== 'payment_request') continue;
        this.answers.grown(keyOf(String((data as Readonly<Record<string, unknown>>)['connection_id'])));
      }
    });
  }

  of({ connectionId, agentId, deviceId }: Parties): Feed<PaymentRequestEventView> {
    return {
      key: keyOf(connectionId),
      standing: [
        streamName('connection', connectionId),
        streamName('agent', agentId),
        streamName('wallet_device', deviceId),
      ],
      page: (since, limit) => this.page(connectionId, since, limit),
    };
  }

  private async page(connectionId: string, since: number, limit: number): Promise<FeedPage<PaymentRequestEventView>> {
    const after = since === 0 ? {} : { after: { sort: since, id: feedEntryId(connectionId, since) } };
    const page = { limit, order: 'asc', ...after } as const;
    const { documents, next } = await this.readModel.find(paymentRequestEvents, 'by_connection', [connectionId], page);
    // Read after the events: it is never less than what they show.
    const newest_cursor = (await this.readModel.get(paymentRequestFeeds, connectionId))?.length ?? 0;
    return {
      events: documents.map(paymentRequestEventView),
      next_cursor: documents.at(-1)?.cursor ?? since,
      newest_cursor,
      has_more: next !== null,
    };
  }
}

const keyOf = (connectionId: string): string => `connection ${connectionId}`;
