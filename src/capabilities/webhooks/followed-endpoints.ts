import { Inject, Injectable } from '@nestjs/common';
import { webhookEndpoints } from '../../../projections/webhook-endpoints.projection';
import { decodeEvent } from '../../platform/event-store/event-codec';
import {
  EVENT_STORE,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { RecentlyUsed } from '../../kernel/recently-used';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';
import { wants, webhookEndpoint, type WebhookEndpointState } from './webhook-endpoint';
import { type WebhookEndpointEvent } from './webhook-endpoint.events';

type Followed = Readonly<{ state: WebhookEndpointState; version: number }>;
type OfMerchant = Map<string, Followed>;

const PAGE = 200;
const MERCHANTS_KEPT = 20_000;

export const ENDPOINT_EVENT_TYPES: readonly WebhookEndpointEvent['type'][] = [
  'WebhookEndpointCreated',
  'WebhookEndpointVerified',
  'WebhookEndpointChanged',
  'WebhookEndpointSecretRotated',
  'WebhookEndpointDisabled',
  'WebhookEndpointEnabled',
  'WebhookEndpointRecoveryRequested',
  'WebhookEndpointDeleted',
];

/**
 * Merchants' endpoints as the log had them at the place to which its follower has come. A merchant is looked up once; from
 * then on its endpoints change as their events come by. So whoever has none costs nothing but the question.
 */
@Injectable()
export class FollowedEndpoints {
  private readonly merchants = new RecentlyUsed<string, OfMerchant>(MERCHANTS_KEPT);

  constructor(
    private readonly projector: Projector,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  /** For a follower that begins anew, perhaps elsewhere: what happened in between did not come by. */
  forget(): void {
    this.merchants.clear();
  }

  follow(event: RecordedEvent): void {
    const { endpoint_id, merchant_id } = event.data as WebhookEndpointEvent['data'];
    const known = this.merchants.get(merchant_id);
    if (known === undefined) return;
    const { state, version } = known.get(endpoint_id) ?? { state: webhookEndpoint.initial, version: 0 };
    if (event.version <= version) return;
    if (event.version === version + 1) follow(known, endpoint_id, next(state, event), event.version);
    else this.merchants.delete(merchant_id);
  }

  /** Who of the merchant's was active just before the position, and wants to hear of this. */
  async receivers(merchantId: string, type: string, position: Position): Promise<readonly string[]> {
    const known = this.merchants.get(merchantId) ?? (await this.lookUp(merchantId, position));
    if (known.size === 0) return [];
    return [...known].flatMap(([id, { state }]) => (state?.status === 'active' && wants(state, type) ? [id] : []));
  }

  private async lookUp(merchantId: string, position: Position): Promise<OfMerchant> {
    // Every endpoint from before the position is in the index once readers have come as far.
    await this.projector.progress.passed(position);
    const found: OfMerchant = new Map();
    for (const endpointId of await this.endpointsOf(merchantId)) {
      const events = await this.store.readStream(streamName(webhookEndpoint.category, endpointId));
      const before = events.filter((event) => event.position < position);
      if (before.length > 0) {
        follow(found, endpointId, before.reduce(next, webhookEndpoint.initial), before.length);
      }
    }
    this.merchants.set(merchantId, found);
    return found;
  }

  private async endpointsOf(merchantId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: PageCursor | undefined;
    do {
      const page = await this.model.find(webhookEndpoints, 'by_merchant', [merchantId], { limit: PAGE, after });
      ids.push(...page.documents.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return ids;
  }
}

/** Of a deleted endpoint nothing more will come: remembered, it would stay for as long as its merchant does. */
function follow(known: OfMerchant, endpointId: string, state: WebhookEndpointState, version: number): void {
  if (state?.status === 'deleted') known.delete(endpointId);
  else known.set(endpointId, { state, version });
}

const next = (state: WebhookEndpointState, event: RecordedEvent): WebhookEndpointState =>
  webhookEndpoint.evolve(state, decodeEvent<WebhookEndpointEvent>(event));
