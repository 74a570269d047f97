import { AGENT_PAYMENT_STATUSES } from '../events/agent-payment.events';
import { agentPaymentSchema } from '../capabilities/agent-payments/agent-payment.schema';
import { dateTime, type JsonSchema, text } from '../http/input/checks';
import { connectionSchema } from '../access/connection-view';
import { eventSchema } from '../capabilities/payment-requests/payment-request-events.dto';
import { domainSchema } from '../capabilities/merchants/merchants.dto';
import { recipientVersionSchema } from '../capabilities/recipients/recipients.dto';
import { paymentRequestSchema } from '../capabilities/payment-requests/payment-request.schema';
import { contested, settlementSchema } from '../capabilities/payments/payment-schema';
import { TEST_TYPE, VERIFICATION_TYPE, WEBHOOK_EVENT_TYPES } from '../capabilities/webhooks/event-types';

type Fields = Readonly<Record<string, JsonSchema>>;
type ObjectSchema = Readonly<{ properties: Fields; required: readonly string[] }>;

const id = text({ max: 160 }).schema;
const time = dateTime().schema;

const typesOf = (subject: string): readonly string[] =>
  WEBHOOK_EVENT_TYPES.filter((type) => type.startsWith(`${subject}.`));

const objectOf = (properties: Fields, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** The same object without some of its fields, and with others. */
function changed(
  schema: JsonSchema,
  without: readonly string[],
  more: Fields,
  optional: readonly string[],
): JsonSchema {
  const { properties, required } = schema as ObjectSchema;
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name)));
  const notRequired = Object.keys(kept).filter((name) => !required.includes(name));
  return objectOf({ ...kept, ...more }, [...notRequired, ...optional]);
}

const paymentRequestData = changed(eventSchema, ['cursor'], { payment_request: paymentRequestSchema }, []);

const agentPaymentData = objectOf(
  {
    event_id: id,
    type: { type: 'string', enum: typesOf('agent_payment') },
    id,
    status: { type: 'string', enum: AGENT_PAYMENT_STATUSES },
    previous_status: { enum: [...AGENT_PAYMENT_STATUSES, null] },
    occurred_at: time,
    data: objectOf(
      {
        settlement: settlementSchema,
        contested: contested.schema,
        transaction_hash: text({ max: 200 }).schema,
        ledger: { type: 'integer' },
      },
      ['settlement', 'contested', 'transaction_hash', 'ledger'],
    ),
    agent_payment: agentPaymentSchema,
  },
  ['data'],
);

const connectionData = changed(
  connectionSchema,
  ['merchant_id', 'revoked_reason', 'created_at', 'updated_at', 'version'],
  {
    event_id: id,
    type: { type: 'string', enum: typesOf('connection') },
    occurred_at: time,
    reason: { type: 'string', description: 'Why it was revoked' },
  },
  ['reason'],
);

const recipientData = objectOf(
  {
    event_id: id,
    type: { type: 'string', enum: typesOf('recipient') },
    recipient_id: id,
    recipient_version_id: id,
    superseded_version_id: { type: ['string', 'null'], description: 'The version that was active before' },
    withdraw_pending: { type: 'boolean', description: 'Whether what was pending on it is withdrawn' },
    occurred_at: time,
    recipient: objectOf({
      recipient_id: id,
      name: { type: 'string' },
      active_version_id: { type: ['string', 'null'] },
      version: { type: 'integer' },
    }),
    recipient_version: recipientVersionSchema,
  },
  ['superseded_version_id', 'withdraw_pending'],
);

const domainData = objectOf({
  event_id: id,
  type: { type: 'string', enum: typesOf('merchant_domain') },
  domain_id: id,
  domain: { type: 'string' },
  occurred_at: time,
  merchant_domain: domainSchema,
});

const signatureHeaders = [
  ['webhook-id', 'The same on every retry'],
  ['webhook-timestamp', 'Seconds since 1970'],
  ['webhook-signature', '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; several are separated by a space'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

const cursorHeader = {
  name: 'webhook-cursor',
  in: 'header',
  required: false,
  description:
    'Its number in the merchant’s feed (`GET /v1/events`): a gap means that a message is missing or still to come',
  schema: { type: 'integer' },
};

const taken = {
  '2XX': { description: 'Taken.' },
  '410': { description: 'The receiver wants no more messages: the endpoint is disabled.' },
  default: { description: 'It is sent again later, at growing intervals. Redirects are not followed.' },
};

const repeated = objectOf({ challenge: { type: 'string', description: 'As it was received' } });

const sent = (summary: string, types: readonly string[], data: JsonSchema, responses: object = taken) => ({
  post: {
    summary,
    parameters: responses === taken ? [...signatureHeaders, cursorHeader] : signatureHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: objectOf({ type: { type: 'string', enum: types }, timestamp: time, data }) },
      },
    },
    responses,
  },
});

/** What the service sends to merchants' endpoints, as receivers should expect it. */
export const webhooks = {
  payment_request: sent('News of a payment request', typesOf('payment_request'), paymentRequestData),
  agent_payment: sent('News of an agent payment', typesOf('agent_payment'), agentPaymentData),
  connection: sent('News of a connection', typesOf('connection'), connectionData),
  recipient: sent('News of a recipient’s versions', typesOf('recipient'), recipientData),
  merchant_domain: sent('News of a domain', typesOf('merchant_domain'), domainData),
  verification: sent(
    'Asks for proof that messages arrive',
    [VERIFICATION_TYPE],
    objectOf({ webhook_endpoint_id: id, challenge: { type: 'string' } }),
    { '200': { description: 'Makes the endpoint active.', content: { 'application/json': { schema: repeated } } } },
  ),
  test: sent(
    'A test message, sent on demand',
    [TEST_TYPE],
    objectOf({ webhook_endpoint_id: id, test: { type: 'boolean' } }),
    {
      '2XX': { description: 'Taken.' },
      default: { description: 'The result is returned to the caller; the message is not sent again.' },
    },
  ),
};
