import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { isShownAgain } from '../../platform/secrets/derived-tokens';
import { complete } from '../../http/input/draft';
import { type KeyedDraft, type Made } from '../../http/input/keyed-draft';
import { type EndpointId, idFor, type MerchantId } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Issue, type Refusal, refuse, refuseInput } from '../../kernel/errors';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { assertSameIntent, type MadeUnderKey } from '../../kernel/made-under-key';
import { EndpointPlaces, MAX_ENDPOINTS } from './endpoint-places';
import { newWebhookSecret, WebhookSecrets } from './signing';
import { webhookEndpoint, type WebhookEndpointState } from './webhook-endpoint';
import { type AssignEndpointKey, type EndpointKeyState, webhookEndpointKey } from './webhook-endpoint-key';
import { WebhookSender } from './webhook-sender';
import { type CreateWebhookEndpointInput } from './webhooks.dto';

type Create = Readonly<{
  merchantId: MerchantId;
  url: string;
  events: readonly string[] | null;
  description: string | null;
}>;

/** The secret is undefined if the endpoint was created before, more than ten minutes ago, or has another one now. */
type CreatedEndpoint = Made<EndpointId> & Readonly<{ secret: string | undefined }>;

/** The secret is shown in the first minutes and otherwise exists here only in sealed form. */
export class CreateWebhookEndpoint extends Command<CreatedEndpoint> {
  constructor(
    readonly draft: KeyedDraft<CreateWebhookEndpointInput>,
    readonly merchantId: MerchantId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhookEndpoint)
export class CreateWebhookEndpointHandler implements ICommandHandler<CreateWebhookEndpoint> {
  /** One merchant's creations do not race each other; the id detects those of another process. */
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    private readonly secrets: WebhookSecrets,
    private readonly places: EndpointPlaces,
    private readonly projector: Projector,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ draft, merchantId, context }: CreateWebhookEndpoint): Promise<CreatedEndpoint> {
    const { under } = draft;
    const before = under && (await this.madeBefore(merchantId, under));
    if (before !== undefined) return before;
    const isFull = draft.issues.length > 0 && (await this.places.freeId(merchantId)) === undefined;
    const found = [...destinationIssues(this.sender, draft.sound.url), ...(isFull ? [TOO_MANY] : [])];
    const {
      url,
      events = null,
      description = null,
    } = complete(draft, found, forDestinations(this.sender, draft.sound));
    const about = { merchantId, url, events, description };
    return this.queue.run(merchantId, () =>
      under === undefined ? this.create(about, context) : this.createUnder(under, about, context),
    );
  }

  private async create(about: Create, context: CommandContext): Promise<CreatedEndpoint> {
    for (;;) {
      const { made } = await this.createAt(await this.freePlace(about.merchantId), about, undefined, context);
      // Nothing made means that another process took the place first.
      if (made !== undefined) return made;
    }
  }

  /** The key's stream names the endpoint first, so that whoever repeats the call makes that one and no other. */
  private async createUnder(under: MadeUnderKey, about: Create, context: CommandContext): Promise<CreatedEndpoint> {
    const { merchantId } = about;
    const keyId = idFor.endpointKey(merchantId, under.idempotency_key);
    let instead: EndpointId | null = null;
    for (;;) {
      const { state: known }: { state: EndpointKeyState } = await this.commands.fold(webhookEndpointKey, keyId);
      const isLost = known === null || known.endpointId === instead;
      const place: EndpointId = isLost ? await this.freePlace(merchantId) : known.endpointId;
      const command: AssignEndpointKey = { keyId, merchantId, endpointId: place, instead, under, at: this.now() };
      const endpointId = await this.assigned(command, context);
      const { made, endpoint } = await this.createAt(endpointId, about, under, context);
      if (made !== undefined) return made;
      if (isUnder(endpoint, under)) return this.again(endpointId, endpoint);
      instead = endpointId;
    }
  }

  private async assigned(command: AssignEndpointKey, context: CommandContext): Promise<EndpointId> {
    const { keyId } = command;
    const { state } = await this.commands.run(webhookEndpointKey, keyId, command, context, { untilReadable: false });
    if (state === null) throw new Error(`${keyId} is assigned to nothing`);
    return state.endpointId;
  }

  private async createAt(
    id: EndpointId,
    about: Create,
    under: MadeUnderKey | undefined,
    context: CommandContext,
  ): Promise<Readonly<{ made: CreatedEndpoint | undefined; endpoint: WebhookEndpointState }>> {
    const secret = newWebhookSecret();
    const secretSealed = this.secrets.sealed(id, secret);
    const command = { kind: 'create', endpointId: id, secretSealed, at: this.now(), under, ...about } as const;
    const { state, events } = await this.commands.run(webhookEndpoint, id, command, context);
    return { made: events.length > 0 ? { id, replayed: false, secret } : undefined, endpoint: state };
  }

  /** What the key has made already, whatever would be refused by now. */
  private async madeBefore(merchantId: MerchantId, under: MadeUnderKey): Promise<CreatedEndpoint | undefined> {
    const keyId = idFor.endpointKey(merchantId, under.idempotency_key);
    const { state: known } = await this.commands.fold(webhookEndpointKey, keyId);
    if (known === null) return undefined;
    assertSameIntent(known, under);
    const { state, position } = await this.commands.fold(webhookEndpoint, known.endpointId);
    if (!isUnder(state, under)) return undefined;
    await this.projector.progress.passed(position);
    return this.again(known.endpointId, state);
  }

  private again(id: EndpointId, endpoint: WebhookEndpointState): CreatedEndpoint {
    const { createdAt = '', previous = [], secretSealed = '' } = endpoint ?? {};
    const isShown = previous.length === 0 && isShownAgain(createdAt, this.clock.now());
    return { id, replayed: true, secret: isShown ? this.secrets.unsealed(id, secretSealed) : undefined };
  }

  private async freePlace(merchantId: MerchantId): Promise<EndpointId> {
    const free = await this.places.freeId(merchantId);
    if (free === undefined) throw refuseInput([TOO_MANY]);
    return free;
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

/** Another call may have taken the place for an endpoint of its own. */
const isUnder = (endpoint: WebhookEndpointState, { idempotency_key }: MadeUnderKey): boolean =>
  endpoint?.under.idempotency_key === idempotency_key;

const TOO_MANY: Issue = {
  code: 'too_many',
  field: 'url',
  message: `there are ${MAX_ENDPOINTS} endpoints already; delete one first`,
};

/** What is wrong with the destination of a well-formed URL. */
export const destinationIssues = (sender: WebhookSender, url: string | undefined): readonly Issue[] =>
  url === undefined || sender.problemWith(url) === undefined
    ? []
    : [{ code: 'destination_not_allowed', field: 'url', message: 'is not a destination that this service may call' }];

/** On its own, this issue gets its own code and the reason. */
export const forDestinations =
  (sender: WebhookSender, { url = '' }: Readonly<{ url?: string | undefined }>) =>
  ({ code }: Issue): Refusal | undefined =>
    code === 'destination_not_allowed'
      ? refuse(code, { field: 'url', details: { problem: sender.problemWith(url) } })
      : undefined;
