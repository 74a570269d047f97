import * as agentPayment from '../../src/capabilities/agent-payments/agent-payment.fixtures';
import * as connection from '../../src/capabilities/connections/connection.fixtures';
import * as merchant from '../../src/capabilities/merchants/merchant.fixtures';
import * as recipient from '../../src/capabilities/recipients/recipient.fixtures';
import * as payment from '../../src/capabilities/payment-requests/payment-request.fixtures';
import { webhookTypeByEvent } from '../../src/capabilities/webhooks/event-types';
import { documentAfter, messageOf, type SubjectDocument } from '../../src/capabilities/webhooks/webhook-messages';
import { type DomainEvent } from '../../src/kernel/decider';

const failed: DomainEvent = {
  type: 'PaymentRequestFailed',
  data: { ...payment.rejected.data, reason: 'not enough funds' },
};

const LIFECYCLES: readonly (readonly DomainEvent[])[] = [
  [payment.created, payment.signed, payment.broadcasted, payment.confirmed, payment.settled],
  [payment.created, failed],
  [payment.created, payment.rejected],
  [payment.created, payment.expired, payment.lateReport('confirmed')],
  [payment.created, payment.withdrawn],
  [agentPayment.created, agentPayment.signed, agentPayment.broadcasted, agentPayment.confirmed, agentPayment.settled],
  [agentPayment.created, agentPayment.failed],
  [agentPayment.created, agentPayment.rejected],
  [agentPayment.created, agentPayment.expired, agentPayment.lateReport],
  [agentPayment.created, agentPayment.withdrawn],
  [connection.created, connection.paused, connection.resumed, connection.revoked],
  [
    recipient.created,
    recipient.versionAdded(1),
    recipient.versionVerified(1),
    recipient.versionActivated(1, null),
    recipient.versionRetired(1, true, true),
  ],
  [merchant.created, merchant.registered, merchant.verified, merchant.superseded],
];

/** The message sent for each event type, by type. */
export function webhookExamples(): ReadonlyMap<string, string> {
  const examples = new Map<string, string>();
  for (const events of LIFECYCLES) {
    let subject: SubjectDocument | undefined;
    events.forEach(({ type: name, data }, index) => {
      const version = index + 1;
      const event_id = `evt_01JZ5Y0W3X000000000000000${version}`;
      const actor = { kind: 'wallet_device', id: 'dev_1' };
      const metadata = { event_id, occurred_at: '2030-01-01T00:00:00.000Z', request_id: 'req_1', actor, schema: 1 };
      const event = { type: name, data, metadata, stream: 'thing-1', version, position: BigInt(version) };
      subject = documentAfter(subject, event);
      const type = webhookTypeByEvent[name];
      if (subject === undefined) throw new Error(`nothing is told of ${name}`);
      // Nobody is told how it began.
      if (type === undefined) return;
      if (!examples.has(type)) examples.set(type, JSON.stringify(messageOf(type, event, subject)));
    });
  }
  return examples;
}
