import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type AgentPaymentDocument, agentPayments } from '../../../projections/agent-payments.projection';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Projector } from '../../platform/projecting/projector';
import { type Collection, type Document } from '../../platform/read-model/projection';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type ConnectionId, type MerchantId, type PolicyId, type RecipientVersionId } from '../../kernel/aggregates';
import { WithdrawAgentPayment, WithdrawPaymentRequest } from './withdrawals';

/** Which payments: all of a connection, those of it under one policy, or all of a merchant to one version. */
export type Affected = Readonly<
  | { connectionId: ConnectionId; policyId?: PolicyId }
  | { merchantId: MerchantId; recipientVersionId: RecipientVersionId }
>;

const PAGE_SIZE = 100;

/** What still waits for a person, of both kinds, for a reactor that withdraws it. Doing so twice does no harm. */
@Injectable()
export class OpenPayments {
  constructor(
    private readonly commands: CommandBus,
    private readonly projector: Projector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /** Everything that was made before the event; what is made later must be caught as it is made. */
  async withdraw(affected: Affected, reason: string, cause: RecordedEvent): Promise<void> {
    await this.projector.progress.passed(cause.position);
    const context = contextAfter(cause);
    const isOfPolicy = 'policyId' in affected && affected.policyId !== undefined;
    if (!isOfPolicy) {
      for await (const request of this.waiting(paymentRequests, affected, 'pending'))
        await this.commands.execute(new WithdrawPaymentRequest(request.id, 'service', reason, context));
    }
    for await (const payment of this.waiting(agentPayments, affected, 'intent_created'))
      await this.commands.execute(new WithdrawAgentPayment(payment.id, 'service', reason, context));
  }

  private async *waiting<Payment extends Document & (PaymentRequestDocument | AgentPaymentDocument)>(
    collection: Collection<Payment>,
    affected: Affected,
    status: Payment['status'],
  ): AsyncGenerator<Payment> {
    const [index, owner] =
      'connectionId' in affected
        ? (['by_connection_and_status', affected.connectionId] as const)
        : (['by_merchant_and_status', affected.merchantId] as const);
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(collection, index, [owner, status], { limit: PAGE_SIZE, after });
      yield* page.documents.filter((payment) => isAffected(payment, affected));
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
}

function isAffected(payment: PaymentRequestDocument | AgentPaymentDocument, affected: Affected): boolean {
  if ('recipientVersionId' in affected) return payment.recipient_version_id === affected.recipientVersionId;
  return affected.policyId === undefined || ('policy_id' in payment && payment.policy_id === affected.policyId);
}

export function contextAfter({ metadata }: RecordedEvent): CommandContext {
  const { request_id: requestId, actor, event_id: causationId } = metadata;
  return { requestId, actor, causationId };
}
