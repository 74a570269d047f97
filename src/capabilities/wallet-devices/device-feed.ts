import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  deviceEventId,
  deviceEvents,
  type DeviceEventView,
  deviceEventView,
  deviceFeeds,
  deviceOf,
  subjectOf,
} from '../../../projections/device-events.projection';
import { type Feed } from '../../http/feeds/feed';
import { FeedAnswers } from '../../http/feeds/feed-answers';
import { readFeed } from '../../http/feeds/read-feed';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type WalletDeviceId } from '../../kernel/aggregates';

/** What concerns a device, in the order and with the numbers it will always have. */
@Injectable()
export class DeviceFeed implements OnModuleInit {
  constructor(
    private readonly projector: Projector,
    private readonly answers: FeedAnswers,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    // Without the read model it is unknown whose events these are; cached pages would hide them from waiting readers.
    this.projector.onApplied((events) => void this.announce(events).catch(() => this.answers.someHaveGrown()));
  }

  of(deviceId: WalletDeviceId): Feed<DeviceEventView> {
    const place = {
      entries: deviceEvents,
      feeds: deviceFeeds,
      owner: deviceId,
      entryId: deviceEventId,
    };
    return {
      key: keyOf(deviceId),
      standing: [streamName('wallet_device', deviceId)],
      page: (since, limit) => readFeed(this.readModel, place, deviceEventView, since, limit),
    };
  }

  private async announce(events: readonly RecordedEvent[]): Promise<void> {
    const devices = new Set<WalletDeviceId>();
    for (const event of events) {
      const subject = subjectOf(event);
      const owned = subject && (await this.readModel.get(subject.collection, subject.id));
      const deviceId = owned?.device_id ?? deviceOf(event);
      if (deviceId !== undefined) devices.add(deviceId);
    }
    for (const deviceId of devices) this.answers.grown(keyOf(deviceId));
  }
}

const keyOf = (deviceId: WalletDeviceId): string => `device ${deviceId}`;
