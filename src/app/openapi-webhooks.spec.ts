import * as agentPayment from '../capabilities/agent-payments/agent-payment.fixtures';
import * as connection from '../capabilities/connections/connection.fixtures';
import { encodeEvent } from '../platform/event-store/event-codec';
import { type RecordedEvent } from '../platform/event-store/event-store.port';
import { type DomainEvent } from '../kernel/decider';
import { webhooks } from './openapi-webhooks';
import * as merchant from '../capabilities/merchants/merchant.fixtures';
import * as recipient from '../capabilities/recipients/recipient.fixtures';
import * as payment from '../capabilities/payment-requests/payment-request.fixtures';
import { webhookTypeByEvent } from '../capabilities/webhooks/event-types';
import { documentAfter, messageOf, type SubjectDocument } from '../capabilities/webhooks/webhook-messages';

type Schema = Readonly<{
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  enum?: readonly unknown[];
}>;

/** Where a value differs from its description: missing fields, undocumented fields, values outside an enum. */
function differences(schema: Schema, value: unknown, path = ''): readonly string[] {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${path} is ${String(value)}`];
  const isAbsent = value === null && schema.type?.includes('null');
  if (isAbsent || schema.properties === undefined || schema.additionalProperties) return [];
  const { properties, required = [] } = schema;
  const fields = value as Record<string, unknown>;
  return [
    ...required.filter((name) => fields[name] === undefined).map((name) => `${path}.${name} is missing`),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const described = properties[name];
      return described ? differences(described, field, `${path}.${name}`) : [`${path}.${name} is not described`];
    }),
  ];
}

const recorded = (event: DomainEvent, version: number): RecordedEvent => ({
  ...encodeEvent(event, { requestId: 'req_1', actor: { kind: 'test', id: 'test' } }, '2030-01-01T00:00:00.000Z'),
  stream: 'thing-1',
  version,
  position: BigInt(version),
});

/** What is sent of each event, one after the other. */
function messages(events: readonly DomainEvent[]): readonly unknown[] {
  let subject: SubjectDocument | undefined;
  const said = events.map((event, at) => {
    const happened = recorded(event, at + 1);
    subject = documentAfter(subject, happened);
    const type = webhookTypeByEvent[event.type];
    if (subject === undefined) throw new Error(`nothing is told of ${event.type}`);
    if (type === undefined) return undefined;
    return JSON.parse(JSON.stringify(messageOf(type, happened, subject))) as unknown;
  });
  return said.filter((message) => message !== undefined);
}

const recipientSteps = [
  recipient.created,
  recipient.versionAdded(1),
  recipient.versionVerified(1),
  recipient.versionActivated(1, null),
  recipient.versionRetired(1, true),
];
const domainSteps = [merchant.created, merchant.registered, merchant.verified, merchant.activated, merchant.superseded];

describe('the described webhooks', () => {
  it.each([
    ['payment_request', [payment.created, payment.signed, payment.broadcasted, payment.confirmed]],
    ['payment_request', [payment.created, payment.signed, payment.broadcasted, payment.confirmed, payment.settled]],
    ['payment_request', [payment.created, payment.rejected]],
    ['payment_request', [payment.created, payment.expired]],
    ['agent_payment', [agentPayment.created, agentPayment.signed, agentPayment.broadcasted, agentPayment.confirmed]],
    ['agent_payment', [agentPayment.created, agentPayment.settled]],
    ['agent_payment', [agentPayment.created, agentPayment.rejected]],
    ['recipient', [...recipientSteps]],
    ['merchant_domain', [...domainSteps]],
    ['connection', [connection.created, connection.paused, connection.resumed, connection.revoked]],
  ] as const)('are what is sent: %s', (name, events) => {
    const { schema } = webhooks[name].post.requestBody.content['application/json'];
    for (const message of messages(events)) expect(differences(schema, message)).toEqual([]);
  });
});
