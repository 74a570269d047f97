import { FeedInput } from '../../http/feeds/feed-input';
import { type Check, dateTime, integer, type JsonSchema, named, oneOf } from '../../http/input/checks';
import { OptionalField } from '../../http/input/field.decorator';
import { WEBHOOK_EVENT_TYPES } from './event-types';

const type = oneOf(WEBHOOK_EVENT_TYPES);

/** A query carries text, so the names are separated by commas. */
const typeNames: Check = {
  problems: (value) => {
    const wrong = typeof value !== 'string' || value.split(',').some((name) => type.problems(name).length > 0);
    return wrong ? [{ code: 'not_allowed', message: 'must be a comma-separated list of event types' }] : [];
  },
  schema: {
    type: 'string',
    description: 'Only these event types, separated by commas; the cursor counts the others too',
    example: 'payment_request.confirmed,payment_request.failed',
  },
};

export class MerchantEventsInput extends FeedInput {
  @OptionalField(typeNames)
  types?: string;
}

/** Sorted, so that readers of the same types share the same pages. */
export const typesOf = ({ types }: MerchantEventsInput): readonly string[] | null =>
  types === undefined ? null : [...new Set(types.split(','))].sort();

export const merchantEventSchema: JsonSchema = named('MerchantEvent', {
  type: 'object',
  properties: {
    cursor: integer(1, Number.MAX_SAFE_INTEGER, '1, 2, 3 … within the merchant').schema,
    type: type.schema,
    timestamp: dateTime().schema,
    data: { type: 'object', description: 'As in the webhook of this type' },
  },
  required: ['cursor', 'type', 'timestamp', 'data'],
});
