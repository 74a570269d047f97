import { type WebhookDeliveryDocument } from '../../../projections/webhook-deliveries.projection';
import { type WebhookEndpointDocument } from '../../../projections/webhook-endpoints.projection';
import { type WebhookRewindDocument } from '../../../projections/webhook-rewinds.projection';
import { type SpellingProblem, spellingProblems } from '../../platform/egress/destination';
import {
  type Check,
  dateTime,
  distinct,
  flag,
  integer,
  type JsonSchema,
  list,
  named,
  nullable,
  object,
  oneOf,
  text,
} from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { PageInput } from '../../http/input/pagination';
import { WEBHOOK_EVENT_TYPES } from './event-types';
import { type EndpointId } from '../../kernel/aggregates';

const id = (example: string): Check => text({ max: 160, example });
const anyVersion = integer(1, Number.MAX_SAFE_INTEGER, 'The endpoint’s current version');

const SPELLING_MESSAGES: Readonly<Record<SpellingProblem, string>> = {
  too_long: 'must have at most 2048 characters, as percent-encoded',
  malformed: 'must be an absolute URL such as https://shop.example/webhooks',
  credentials_not_allowed: 'must not hold a user name or password',
  fragment_not_allowed: 'must not have a fragment (#…)',
};
const urlText = text({ max: 2048, description: 'A public https URL', example: 'https://shop.example/webhooks' });
/** Whether a well-formed URL may be called is a separate question, checked once everything else is right. */
const url: Check = {
  problems: (value) => {
    const found = urlText.problems(value);
    if (found.length > 0 || typeof value !== 'string') return found;
    return spellingProblems(value).map((code) => ({ code, message: SPELLING_MESSAGES[code] }));
  },
  schema: urlText.schema,
};
const description = text({ max: 500 });

const eventList = distinct(list(oneOf(WEBHOOK_EVENT_TYPES), WEBHOOK_EVENT_TYPES.length, 1));

export class CreateWebhookEndpointInput extends KeyedInput {
  @Field(url)
  url!: string;

  @OptionalField(eventList)
  events?: string[];

  @OptionalField(nullable(description))
  description?: string | null;
}

export class ChangeWebhookEndpointInput {
  @Field(anyVersion)
  version!: number;

  @OptionalField(url)
  url?: string;

  @OptionalField(eventList)
  events?: string[];

  @OptionalField(nullable(description))
  description?: string | null;

  @OptionalField(oneOf(['active', 'disabled'], 'active needs a verified url'))
  status?: 'active' | 'disabled';
}

export class RecoverInput {
  @Field(dateTime('Events at or after this time that were not delivered are sent again', '2026-01-01T00:00:00.000Z'))
  since!: string;
}

const cursor = (description: string): Check => integer(0, Number.MAX_SAFE_INTEGER, description);

export class RewindInput {
  @Field(cursor('The last event that is not sent again, by its cursor in the merchant’s feed; 0 for all'))
  from_cursor!: number;

  @OptionalField(cursor('The last event that is sent again; the newest if absent'))
  to_cursor?: number;

  @OptionalField(eventList)
  types?: string[];
}

/** For calls that need nothing but their path. */
export class NothingInput {}

const STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;

export class ListDeliveriesInput extends PageInput {
  @OptionalField(id('whe_01JZ5Y0W3X0000000000000000'))
  endpoint_id?: EndpointId;

  @OptionalField(oneOf(STATUSES))
  status?: string;

  @OptionalField(text({ max: 160, description: 'Only those about this payment request, agent payment or connection' }))
  subject_id?: string;
}

export const webhookEndpointSchema: JsonSchema = named(
  'WebhookEndpoint',
  object({
    webhook_endpoint_id: id('whe_01JZ5Y0W3X0000000000000000'),
    url,
    events: eventList,
    description: nullable(description),
    status: oneOf(['pending', 'active', 'disabled']),
    disabled_reason: nullable(oneOf(['merchant', 'gone', 'failing'])),
    verified_at: nullable(dateTime()),
    previous_secret_until: nullable(dateTime('The time until which the last replaced secret also signs')),
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'Identifies the state of the record; send it with every change'),
  }).schema,
);

export const secretSchema: JsonSchema = text({
  max: 60,
  description: 'Shown once; signs every message as Standard Webhooks describe',
  example: 'whsec_…',
}).schema;

export const webhookEndpointView = ({ id: webhook_endpoint_id, merchant_id: _, ...rest }: WebhookEndpointDocument) => ({
  webhook_endpoint_id,
  ...rest,
  events: rest.events ?? WEBHOOK_EVENT_TYPES,
});

const attempt = object({
  number: integer(1, Number.MAX_SAFE_INTEGER),
  kind: oneOf(['initial', 'automatic', 'manual', 'rewind']),
  sent_at: dateTime(),
  status_code: nullable(integer(100, 999)),
  duration_ms: integer(0, Number.MAX_SAFE_INTEGER),
  error_kind: nullable(text({ max: 80 })),
  outcome: oneOf(['succeeded', 'retry', 'failed']),
});

export const webhookDeliverySchema: JsonSchema = named(
  'WebhookDelivery',
  object({
    webhook_delivery_id: text({
      max: 160,
      description: 'Sent as webhook-id',
      example: 'whd_01JZ5Y0W3X0000000000000000',
    }),
    webhook_endpoint_id: id('whe_01JZ5Y0W3X0000000000000000'),
    event_id: id('evt_01JZ5Y0W3X0000000000000000'),
    event_type: oneOf(WEBHOOK_EVENT_TYPES),
    subject_id: text({ max: 160, description: 'The payment request, agent payment or connection it is about' }),
    cursor: nullable(integer(1, Number.MAX_SAFE_INTEGER, 'Of the merchant’s feed; sent as webhook-cursor')),
    status: oneOf(STATUSES),
    next_attempt_at: nullable(dateTime()),
    attempt_count: integer(0, Number.MAX_SAFE_INTEGER),
    attempts: {
      ...list(attempt, 30),
      schema: { ...list(attempt, 30).schema, description: 'The latest 30, oldest first' },
    },
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER),
  }).schema,
);

export const webhookDeliveryView = ({
  id: webhook_delivery_id,
  endpoint_id: webhook_endpoint_id,
  merchant_id: _m,
  sequence: _s,
  opened: _o,
  ...rest
}: WebhookDeliveryDocument) => ({ webhook_delivery_id, webhook_endpoint_id, ...rest });

export const waitsForSchema: JsonSchema = nullable(
  text({ max: 160, description: 'The delivery that is sent before it', example: 'whd_01JZ5Y0W3X0000000000000000' }),
).schema;

export const countSchema: JsonSchema = integer(0, Number.MAX_SAFE_INTEGER, 'The number of these deliveries').schema;

const anyCursor = integer(0, Number.MAX_SAFE_INTEGER);

export const rewindSchema: JsonSchema = named(
  'WebhookRewind',
  object({
    rewind_id: id('rwd_01JZ5Y0W3X0000000000000000'),
    webhook_endpoint_id: id('whe_01JZ5Y0W3X0000000000000000'),
    status: oneOf(['running', 'done', 'cancelled']),
    from_cursor: anyCursor,
    to_cursor: anyCursor,
    types: nullable(eventList),
    deliveries: integer(0, 100_000, 'How many are to be sent'),
    delivered: integer(0, 100_000, 'How many of them were accepted'),
    failed: integer(0, 100_000, 'How many were not accepted at once, and are retried like any other delivery'),
    reached_cursor: integer(0, Number.MAX_SAFE_INTEGER, 'The cursor that it has reached'),
    created_at: dateTime(),
    updated_at: dateTime(),
  }).schema,
);

export const rewindView = (document: WebhookRewindDocument) => ({
  rewind_id: document.id,
  webhook_endpoint_id: document.endpoint_id,
  status: document.status,
  from_cursor: document.from_cursor,
  to_cursor: document.to_cursor,
  types: document.types,
  deliveries: document.deliveries,
  delivered: document.delivered,
  failed: document.failed,
  reached_cursor: document.reached,
  created_at: document.created_at,
  updated_at: document.updated_at,
});

export const testResultSchema: JsonSchema = named(
  'WebhookTestResult',
  object({
    message_id: text({ max: 160, description: 'Sent as webhook-id' }),
    delivered: flag,
    status_code: nullable(integer(100, 999)),
    duration_ms: integer(0, Number.MAX_SAFE_INTEGER),
    error_kind: nullable(text({ max: 80 })),
  }).schema,
);
