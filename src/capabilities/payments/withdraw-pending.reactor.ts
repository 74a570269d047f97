import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { connections } from '../../../projections/connections.projection';
import { agentInUse } from '../../access/agent-in-use';
import { connectionInUse } from '../../access/connection-in-use';
import { type EventOf } from '../../events';
import { type RecipientEvent } from '../../events/recipient.events';
import { type Fold } from '../../kernel/decider';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { ignored, reactorTo } from '../../platform/reacting/reactor';
import { Reactors } from '../../platform/reacting/reactors';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { contextAfter, OpenPayments } from './open-payments';
import { WithdrawAgentPayment, WithdrawPaymentRequest } from './withdrawals';

/** The versions that were retired together with what was pending on them. */
const withdrawnVersions: Fold<ReadonlySet<string>, RecipientEvent> = {
  category: 'recipient',
  initial: new Set(),
  evolve: (versions, { type, data }) =>
    type === 'RecipientVersionRetired' && data.withdraw_pending
      ? new Set(versions).add(data.recipient_version_id)
      : versions,
};

type Created = RecordedEvent & EventOf<'PaymentRequestCreated' | 'AgentPaymentCreated'>;

/**
 * Withdraws what waits for a person when who asked for it, or where the money would go, is no longer to be trusted. A
 * payment that was being made meanwhile is caught as it appears.
 */
@Injectable()
export class WithdrawPending implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly bus: CommandBus,
    private readonly projector: Projector,
    private readonly payments: OpenPayments,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'agent' | 'connection' | 'recipient' | 'payment_request' | 'agent_payment'>('withdraw-pending', {
        AgentCreated: ignored,
        AgentStatusChanged: (event) => this.ofAgent(event),
        AgentDetailsChanged: ignored,
        AgentCredentialRegistered: ignored,
        AgentCredentialProofFailed: ignored,
        AgentCredentialActivated: ignored,
        // The connections opened with it are revoked, and what they asked for is withdrawn then.
        AgentCredentialRevoked: ignored,
        ConnectionCreated: ignored,
        ConnectionTokenRotated: ignored,
        ConnectionTokenHandedOver: ignored,
        ConnectionPaused: ignored,
        ConnectionResumed: ignored,
        ConnectionRevoked: (event) =>
          this.payments.withdraw({ connectionId: event.data.connection_id }, endOf(event.data.reason), event),
        RecipientCreated: ignored,
        RecipientVersionAdded: ignored,
        RecipientVersionVerified: ignored,
        RecipientVersionActivated: ignored,
        RecipientVersionRetired: (event) => this.ofVersion(event),
        PaymentRequestCreated: (event) => this.ofNew(event),
        PaymentRequestSigned: ignored,
        PaymentRequestBroadcasted: ignored,
        PaymentRequestConfirmed: ignored,
        PaymentRequestFailed: ignored,
        PaymentRequestRejected: ignored,
        PaymentRequestExpired: ignored,
        PaymentRequestWithdrawn: ignored,
        PaymentRequestLateReport: ignored,
        PaymentRequestKeyAssigned: ignored,
        PaymentRequestKeyTaken: ignored,
        PaymentRequestSettlementObserved: ignored,
        PaymentRequestSettlementCheckRequested: ignored,
        AgentPaymentCreated: (event) => this.ofNew(event),
        AgentPaymentRefused: ignored,
        AgentPaymentForgone: ignored,
        AgentPaymentSigned: ignored,
        AgentPaymentBroadcasted: ignored,
        AgentPaymentConfirmed: ignored,
        AgentPaymentFailed: ignored,
        AgentPaymentRejected: ignored,
        AgentPaymentExpired: ignored,
        AgentPaymentWithdrawn: ignored,
        AgentPaymentLateReport: ignored,
        AgentPaymentSettlementObserved: ignored,
        AgentPaymentSettlementCheckRequested: ignored,
      }),
    );
  }

  private async ofAgent(event: RecordedEvent & EventOf<'AgentStatusChanged'>): Promise<void> {
    if (event.data.status !== 'revoked') return;
    await this.projector.progress.passed(event.position);
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(connections, 'by_agent', [event.data.agent_id], { limit: 100, after });
      for (const { id } of page.documents) await this.payments.withdraw({ connectionId: id }, 'agent_revoked', event);
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  private async ofVersion(event: RecordedEvent & EventOf<'RecipientVersionRetired'>): Promise<void> {
    const { withdraw_pending, merchant_id: merchantId, recipient_version_id: recipientVersionId } = event.data;
    if (withdraw_pending) await this.payments.withdraw({ merchantId, recipientVersionId }, 'version_retired', event);
  }

  /** It was permitted a moment before it was made. What ends after it was made finds it in the read model. */
  private async ofNew(event: Created): Promise<void> {
    const reason = await this.endBefore(event);
    if (reason === undefined) return;
    const [id, context] = [event.stream.slice(event.stream.indexOf('-') + 1), contextAfter(event)];
    await this.bus.execute(
      event.type === 'PaymentRequestCreated'
        ? new WithdrawPaymentRequest(id, 'service', reason, context)
        : new WithdrawAgentPayment(event.data.payment_id, 'service', reason, context),
    );
  }

  private async endBefore({ data, position }: Created): Promise<string | undefined> {
    const [{ state: connection }, { state: agent }, { state: versions }] = await Promise.all([
      this.commands.fold(connectionInUse, data.connection_id, position),
      this.commands.fold(agentInUse, data.agent_id, position),
      this.commands.fold(withdrawnVersions, data.recipient_id, position),
    ]);
    if (connection.status === 'revoked') return endOf(connection.ended);
    if (agent.status === 'revoked') return 'agent_revoked';
    return versions.has(data.recipient_version_id) ? 'version_retired' : undefined;
  }
}

/** Whether the connection itself was ended, or the key that it was opened with was lost. */
const endOf = (reason: string | null): string =>
  reason === 'credential_revoked' ? 'credential_revoked' : 'connection_revoked';
