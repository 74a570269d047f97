import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { is } from '../../../../events';
import { type Creation, mayBeKnownTo, wasKnownTo } from '../clock';
import { type Breach, type Invariant, type Log } from '../invariant';
import { categoryOfOrigin } from '../../../../kernel/aggregates';
import { type ConnectionId } from '../../../../kernel/aggregates';

export const approvedConnection: Invariant = {
  name: 'approved-connection',
  says: 'every connection was approved by its own wallet, for no more than was requested',
  categories: ['connection'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const [event] = events;
    if (!is(event, 'ConnectionCreated')) {
      if (event) yield { event, what: 'the stream does not begin with a connection' };
      return;
    }
    const { origin_id, device_id, agent_id, merchant_id, connection_id, scopes } = event.data;
    const origin = await log.stream(categoryOfOrigin(origin_id), origin_id);
    const asked = origin.find((one) => is(one, 'ConnectInvitationClaimed') || is(one, 'PairingSessionStarted'));
    const approval = origin.find((one) => is(one, 'ConnectInvitationApproved') || is(one, 'PairingSessionApproved'));
    if (approval === undefined) {
      yield { event, what: `nobody approved ${origin_id}` };
      return;
    }
    const approved = approval.data as Readonly<Record<string, unknown>>;
    const said = { device_id, agent_id, merchant_id, connection_id };
    for (const [name, value] of Object.entries(said)) {
      if (approved[name] !== value) yield { event, what: `its ${name} is not the one that was approved` };
    }
    const granted = approved['scopes'] as readonly string[];
    const requested = (asked?.data as Readonly<{ requested_scopes?: readonly string[] }> | undefined)?.requested_scopes;
    const tooMuch = scopes.filter((scope) => !granted.includes(scope) || !requested?.includes(scope));
    if (tooMuch.length > 0)
      yield { event, what: `it has more scopes than were requested and approved: ${tooMuch.join(', ')}` };
  },
};

/** The event that closed the connection clearly before the payment was created, unless it was reopened by then. */
async function closedBefore(
  log: Log,
  connectionId: ConnectionId,
  creation: Creation,
): Promise<RecordedEvent | undefined> {
  let closing: RecordedEvent | undefined;
  for (const event of await log.stream('connection', connectionId)) {
    const closes = is(event, 'ConnectionRevoked') || is(event, 'ConnectionPaused');
    if (closes && (await wasKnownTo(log, event, creation))) closing = event;
    // Only a pause can be undone.
    if (closing && is(closing, 'ConnectionRevoked')) break;
    if (is(event, 'ConnectionResumed') && (await mayBeKnownTo(log, event, creation))) closing = undefined;
  }
  return closing;
}

export const liveConnection: Invariant = {
  name: 'live-connection',
  says: 'every payment was requested over a connection of the same wallet, agent and merchant that was open at that time',
  categories: ['payment_request', 'agent_payment'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    for (const event of events) {
      if (!is(event, 'PaymentRequestCreated') && !is(event, 'AgentPaymentCreated')) continue;
      const { connection_id, device_id, agent_id, merchant_id, created_at } = event.data;
      const [created] = await log.stream('connection', connection_id);
      if (!is(created, 'ConnectionCreated')) {
        yield { event, what: `there is no connection ${connection_id}` };
        continue;
      }
      const { data: agreed } = created;
      if (agreed.device_id !== device_id || agreed.agent_id !== agent_id || agreed.merchant_id !== merchant_id) {
        yield { event, what: `connection ${connection_id} is between other parties` };
      }
      const closing = await closedBefore(log, connection_id, { event, at: created_at });
      if (closing) yield { event, what: `connection ${connection_id} was closed by ${closing.metadata.event_id}` };
    }
  },
};
