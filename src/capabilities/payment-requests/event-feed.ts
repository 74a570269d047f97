import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  feedEntryId,
  paymentRequestEvents,
  paymentRequestFeeds,
  type PaymentRequestEventView,
  paymentRequestEventView,
} from '../../../projections/payment-request-events.projection';
import { type ConnectionCaller } from '../../http/server/callers';
import { type Feed } from '../../http/feeds/feed';
import { FeedAnswers } from '../../http/feeds/feed-answers';
import { readFeed } from '../../http/feeds/read-feed';
import { parseStreamName, streamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type ConnectionId } from '../../kernel/aggregates';
import { type EventsOf } from '../../events';

type Parties = Pick<ConnectionCaller, 'connectionId' | 'agentId' | 'deviceId'>;

/** A connection's status events, in the order and with the numbers they will always have. */
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
        this.answers.grown(keyOf((data as EventsOf['payment_request']['data']).connection_id));
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
      page: (since, limit) => readFeed(this.readModel, placeOf(connectionId), paymentRequestEventView, since, limit),
    };
  }
}

const keyOf = (connectionId: ConnectionId): string => `connection ${connectionId}`;

const placeOf = (connectionId: ConnectionId) => ({
  entries: paymentRequestEvents,
  feeds: paymentRequestFeeds,
  owner: connectionId,
  entryId: feedEntryId,
});
