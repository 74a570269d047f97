import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { type Refusal, refuse } from '../../kernel/errors';
import { type MaybeUnderKey, underKey } from '../../kernel/made-under-key';
import { type DisabledReason, type WebhookEndpointEvent } from '../../events/webhook-endpoint.events';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

type Own = Readonly<{ endpointId: EndpointId; merchantId: MerchantId; at: string }>;
type Events = readonly string[] | null;

type CreateEndpoint = Own &
  Readonly<{
    kind: 'create';
    url: string;
    events: Events;
    description: string | null;
    secretSealed: string;
    under?: MaybeUnderKey | undefined;
  }>;
/** `version`: the endpoint's version when its URL was challenged. If it was disabled since, it stays disabled. */
type ConfirmEndpoint = Own & Readonly<{ kind: 'confirm'; url: string; version: number }>;
type ChangeEndpoint = Own &
  Readonly<{
    kind: 'change';
    version: number;
    url?: string | undefined;
    events?: readonly string[] | undefined;
    /** Null removes it. */
    description?: string | null | undefined;
    status?: 'active' | 'disabled' | undefined;
  }>;
type RotateSecret = Own & Readonly<{ kind: 'rotate-secret'; secretSealed: string; previousUntil: string }>;
/** With `url`, only while the endpoint still has it: a late response of an old URL says nothing about the new one. */
type DisableEndpoint = Own &
  Readonly<{ kind: 'disable'; reason: Exclude<DisabledReason, 'merchant'>; url?: string | undefined }>;
type RecoverDeliveries = Own & Readonly<{ kind: 'recover'; recoveryId: string; since: string }>;
type DeleteEndpoint = Own & Readonly<{ kind: 'delete' }>;

export type WebhookEndpointCommand =
  | CreateEndpoint
  | ConfirmEndpoint
  | ChangeEndpoint
  | RotateSecret
  | DisableEndpoint
  | RecoverDeliveries
  | DeleteEndpoint;

type ReplacedSecret = Readonly<{ secretSealed: string; until: string }>;

/** Every message is signed with each of them: enough for any sensible rotation, but bounded. */
export const MAX_REPLACED_SECRETS = 10;

export type KnownEndpoint = Readonly<{
  merchantId: MerchantId;
  url: string;
  events: Events;
  description: string | null;
  status: 'pending' | 'active' | 'disabled' | 'deleted';
  /** The current URL has been verified. */
  verified: boolean;
  secretSealed: string;
  /** Replaced secrets that still sign until they expire; most recently replaced first. */
  previous: readonly ReplacedSecret[];
  lastRecoveryId: string | null;
  createdAt: string;
  under: MaybeUnderKey;
  /** The version in which it was last disabled; 0 if it never was. */
  disabledIn: number;
  /** Counts events, as callers see them. */
  version: number;
}>;
export type WebhookEndpointState = KnownEndpoint | null;

/** Where a merchant wants to be notified. Nothing is sent before the URL is proven to be the merchant's own. */
export const webhookEndpoint: Decider<WebhookEndpointState, WebhookEndpointCommand, WebhookEndpointEvent> = {
  category: 'webhook_endpoint',
  initial: null,

  decide(command, state) {
    if (command.kind === 'create') return state === null ? [create(command)] : [];
    const own = { endpoint_id: command.endpointId, merchant_id: command.merchantId };
    const isGone = state?.merchantId === command.merchantId && state.status === 'deleted';
    // It may have been deleted while an attempt was in flight: there is nothing left to disable.
    if (isGone && (command.kind === 'delete' || command.kind === 'disable')) return [];
    const known = ownedEndpoint(state, command.merchantId);
    switch (command.kind) {
      case 'confirm':
        if (command.url !== known.url) throw changedMeanwhile(known);
        if (known.status === 'active') return [];
        if (known.disabledIn > command.version) throw changedMeanwhile(known);
        return [{ type: 'WebhookEndpointVerified', data: { ...own, url: command.url, verified_at: command.at } }];
      case 'change':
        return change(command, known, own);
      case 'rotate-secret': {
        const { secretSealed: secret_sealed, previousUntil: previous_until, at: rotated_at } = command;
        if (secret_sealed === known.secretSealed) return [];
        const data = { ...own, secret_sealed, previous_until, rotated_at };
        return [{ type: 'WebhookEndpointSecretRotated', data }];
      }
      case 'disable':
        if (known.status !== 'active' || (command.url ?? known.url) !== known.url) return [];
        return [disabled(own, command.reason, command.at)];
      case 'recover': {
        const { recoveryId: recovery_id, since, at: requested_at } = command;
        if (known.lastRecoveryId === recovery_id) return [];
        mustBeActive(known);
        return [{ type: 'WebhookEndpointRecoveryRequested', data: { ...own, recovery_id, since, requested_at } }];
      }
      case 'delete':
        return [{ type: 'WebhookEndpointDeleted', data: { ...own, deleted_at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'WebhookEndpointCreated') {
      const { merchant_id: merchantId, url, events, description, secret_sealed: secretSealed } = event.data;
      const made = { createdAt: event.data.created_at, under: underKey(event.data) };
      const fresh = { status: 'pending', verified: false, previous: [], lastRecoveryId: null, disabledIn: 0 } as const;
      return { merchantId, url, events, description, secretSealed, ...fresh, ...made, version: 1 };
    }
    if (state === null) throw new Error(`${event.type} before the endpoint was created`);
    const next = { ...state, version: state.version + 1 };
    switch (event.type) {
      case 'WebhookEndpointVerified':
        return { ...next, status: 'active', verified: true };
      case 'WebhookEndpointChanged': {
        const { url, events, description, needs_verification } = event.data;
        const changed = { ...next, url, events, description };
        return needs_verification ? { ...changed, status: 'pending', verified: false } : changed;
      }
      case 'WebhookEndpointSecretRotated': {
        const { secret_sealed: secretSealed, previous_until: until, rotated_at } = event.data;
        const before = state.previous.filter((replaced) => replaced.until > rotated_at);
        const previous = [{ secretSealed: state.secretSealed, until }, ...before].slice(0, MAX_REPLACED_SECRETS);
        return { ...next, secretSealed, previous };
      }
      case 'WebhookEndpointDisabled':
        return { ...next, status: 'disabled', disabledIn: next.version };
      case 'WebhookEndpointEnabled':
        return { ...next, status: 'active' };
      case 'WebhookEndpointRecoveryRequested':
        return { ...next, lastRecoveryId: event.data.recovery_id };
      case 'WebhookEndpointDeleted':
        return { ...next, status: 'deleted' };
      default:
        return assertNever(event);
    }
  },
};

/** Another merchant's endpoint, and a deleted one, are treated as nonexistent. */
export function ownedEndpoint(state: WebhookEndpointState, merchantId: MerchantId): KnownEndpoint {
  if (state?.merchantId !== merchantId || state.status === 'deleted') throw refuse('resource_not_found');
  return state;
}

export const wants = ({ events }: KnownEndpoint, type: string): boolean => events === null || events.includes(type);

const create = (command: CreateEndpoint): WebhookEndpointEvent => ({
  type: 'WebhookEndpointCreated',
  data: {
    endpoint_id: command.endpointId,
    merchant_id: command.merchantId,
    url: command.url,
    events: command.events,
    description: command.description,
    secret_sealed: command.secretSealed,
    created_at: command.at,
    ...underKey(command.under),
  },
});

type Ids = Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>;

const disabled = (own: Ids, reason: DisabledReason, disabled_at: string): WebhookEndpointEvent => ({
  type: 'WebhookEndpointDisabled',
  data: { ...own, reason, disabled_at },
});

/** A change names the version it applies to, so repeating it meets a newer version and is refused. */
function change(command: ChangeEndpoint, known: KnownEndpoint, own: Ids): readonly WebhookEndpointEvent[] {
  if (command.version !== known.version) throw changedMeanwhile(known);
  const { url = known.url, events = known.events, description = known.description, at } = command;
  const moved = url !== known.url;
  const happened: WebhookEndpointEvent[] = [];
  if (moved || !sameEvents(events, known.events) || description !== known.description) {
    const data = { ...own, url, events, description, needs_verification: moved, changed_at: at };
    happened.push({ type: 'WebhookEndpointChanged', data });
  }
  const status = moved ? 'pending' : known.status;
  if (command.status === undefined || command.status === status) return happened;
  if (command.status === 'disabled') return [...happened, disabled(own, 'merchant', at)];
  if (moved || !known.verified) throw refuse('invalid_status_transition', { details: { current_status: status } });
  return [...happened, { type: 'WebhookEndpointEnabled', data: { ...own, enabled_at: at } }];
}

const changedMeanwhile = ({ version }: KnownEndpoint): Refusal =>
  refuse('version_conflict', { details: { current_version: version } });

const INACTIVE_ADVICE: Readonly<Record<Exclude<KnownEndpoint['status'], 'active'>, string>> = {
  pending: 'The endpoint is not verified: verify it, then ask again.',
  disabled: 'The endpoint is switched off: change its status to active, then ask again.',
  deleted: 'The endpoint was deleted: create another, and read what happened at /v1/events or rewind to it.',
};

/** Nothing is sent to an inactive endpoint; the refusal tells the caller what to do about it. */
export function mustBeActive({ status }: KnownEndpoint): void {
  if (status === 'active') return;
  const details = { current_status: status, endpoint_status: status };
  throw refuse('invalid_status_transition', { message: INACTIVE_ADVICE[status], details });
}

const sameEvents = (one: Events, other: Events): boolean => JSON.stringify(one) === JSON.stringify(other);
