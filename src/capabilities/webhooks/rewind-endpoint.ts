import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookRewinds } from '../../../projections/webhook-rewinds.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { complete, type Draft } from '../../http/input/draft';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { MerchantFeed } from './merchant-feed';
import { mustBeActive, ownedEndpoint, webhookEndpoint } from './webhook-endpoint';
import { webhookRewind } from './webhook-rewind';
import { type RewindInput } from './webhooks.dto';
import { type EndpointId, type MerchantId, type RewindId } from '../../kernel/aggregates';

/** The most deliveries one rewind may have. */
export const MAX_REWIND_DELIVERIES = 100_000;
/** The most events searched for those of the requested types. */
const MAX_SEARCHED = 1_000_000;
/** The most rewinds that may be running or queued at one endpoint. */
export const MAX_RUNNING_REWINDS = 10;
const PAGE_SIZE = 200;

type Asked = Readonly<{
  endpointId: EndpointId;
  merchantId: MerchantId;
  draft: Draft<RewindInput>;
}>;

/** Returns the rewind's id. */
export class RewindWebhookEndpoint extends Command<RewindId> {
  constructor(
    readonly asked: Asked,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RewindWebhookEndpoint)
export class RewindWebhookEndpointHandler implements ICommandHandler<RewindWebhookEndpoint> {
  /** Requests for the same endpoint run one at a time, so that each sees those before it. */
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly commands: CommandRunner,
    private readonly feed: MerchantFeed,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ asked, context }: RewindWebhookEndpoint): Promise<RewindId> {
    return this.queue.run(asked.endpointId, () => this.request(asked, context));
  }

  private async request(asked: Asked, context: CommandContext): Promise<RewindId> {
    const { endpointId, merchantId, draft } = asked;
    const newest = await this.feed.length(merchantId);
    const input = complete(draft, problems(draft.sound, newest));
    const { from_cursor: fromCursor, to_cursor: toCursor = newest } = input;
    const { state } = await this.commands.fold(webhookEndpoint, endpointId);
    const endpoint = ownedEndpoint(state, merchantId);
    mustBeActive(endpoint);
    // An endpoint does not receive types it is not subscribed to, unless the request names them.
    const types = input.types ?? endpoint.events;
    const deliveries = await this.count(merchantId, fromCursor, toCursor, types);
    if (deliveries > MAX_REWIND_DELIVERIES) {
      const message = `must leave at most ${MAX_REWIND_DELIVERIES} deliveries to send; choose a later one or fewer types`;
      throw refuseInput([{ code: 'too_many', field: 'from_cursor', message }]);
    }
    const running = await this.model.find(webhookRewinds, 'running', [endpointId], { limit: MAX_RUNNING_REWINDS });
    if (running.documents.length >= MAX_RUNNING_REWINDS) {
      const message = `${MAX_RUNNING_REWINDS} rewinds of this endpoint are under way; wait for one to end, or cancel one`;
      throw refuseInput([{ code: 'too_many', field: '', message }]);
    }
    const rewind_id = newId('rwd');
    const own = { rewind_id, endpoint_id: endpointId, merchant_id: merchantId };
    const range = { from_cursor: fromCursor, to_cursor: toCursor, types, deliveries };
    const requested = { ...own, ...range, requested_at: timestamp(this.clock.now()) };
    await this.commands.run(webhookRewind, rewind_id, { kind: 'request', requested }, context);
    return rewind_id;
  }

  /** Stops once the count exceeds the limit. */
  private async count(merchantId: MerchantId, from: number, to: number, types: readonly string[] | null) {
    if (types === null) return to - from;
    if (to - from > MAX_SEARCHED) return Infinity;
    let found = 0;
    for (let cursor = from; cursor < to && found <= MAX_REWIND_DELIVERIES;) {
      const entries = await this.feed.entries(merchantId, cursor, PAGE_SIZE);
      const within = entries.filter((entry) => entry.cursor <= to);
      found += within.filter(({ type }) => types.includes(type)).length;
      cursor = entries.at(-1)?.cursor ?? to;
      await nextTurn();
    }
    return found;
  }
}

/** An absent or invalid cursor is compared as the one that nothing is wrong with. */
function problems({ from_cursor: from = 0, to_cursor: to }: Partial<RewindInput>, newest: number): readonly Issue[] {
  const beyond = `must not be beyond the newest event, ${newest}`;
  const found: Issue[] = [];
  if (from > newest) found.push({ code: 'out_of_range', field: 'from_cursor', message: beyond });
  if (to !== undefined && to > newest) found.push({ code: 'out_of_range', field: 'to_cursor', message: beyond });
  if (found.length === 0 && to !== undefined && to < from) {
    found.push({ code: 'out_of_range', field: 'to_cursor', message: 'must not be before from_cursor' });
  }
  return found;
}

export class CancelRewind extends Command<void> {
  constructor(
    readonly asked: Readonly<{ rewindId: RewindId; endpointId: EndpointId; merchantId: MerchantId }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelRewind)
export class CancelRewindHandler implements ICommandHandler<CancelRewind> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ asked, context }: CancelRewind): Promise<void> {
    const { rewindId, endpointId, merchantId } = asked;
    const known = await this.model.get(webhookRewinds, rewindId);
    if (known?.merchant_id !== merchantId || known.endpoint_id !== endpointId) throw refuse('resource_not_found');
    if (known.status !== 'running') return;
    const at = timestamp(this.clock.now());
    await this.commands.run(webhookRewind, rewindId, { kind: 'cancel', endpointId, merchantId, at }, context);
  }
}
