import { amount } from '../../http/input/amount';
import { dateTime, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { freeFormWithoutPayee } from '../../http/input/free-form';
import { idempotencyKey } from '../../http/input/idempotency-key';
import { PageInput } from '../../http/input/pagination';
import { StatusReportInput, transactionHash } from '../../http/input/status-report';
import { networks } from '../../networks';
import { AGENT_PAYMENT_STATUSES, type AgentPaymentStatus } from '../../events/agent-payment.events';
import { type ConnectionId, type PolicyId, type RecipientId } from '../../kernel/aggregates';

export const testnetNames = networks.filter(({ testnet }) => testnet).map(({ name }) => name);

export const keyScope = oneOf(
  ['merchant', 'connection'],
  'Whose key it is: by default the merchant’s, for its agent payments; with `connection` the connection’s, for its agent ' +
    'payments and payment requests together, so that at most one payment is made under it',
);
export const ifDuplicate = oneOf(
  ['allow', 'refuse'],
  'What to do if the connection has a payment to the same recipient for the same amount from the last 24 hours',
);

export class CreateAgentPaymentInput {
  @Field(oneOf(testnetNames, 'Must be the network of the recipient’s active version'))
  network!: string;

  @OptionalField(text({ max: 80, description: 'If given, must be the asset of the recipient’s active version' }))
  asset?: string;

  @Field(text({ max: 160, example: 'rcp_01JZ5Y0W3X0000000000000000' }))
  recipient_id!: RecipientId;

  @Field(amount)
  amount!: string;

  @Field(oneOf(['agent', 'human'], 'An agent alone needs a policy; a person decides in the wallet'))
  initiator!: 'agent' | 'human';

  @Field(text({ max: 160, description: 'Whose wallet pays', example: 'con_01JZ5Y0W3X0000000000000000' }))
  connection_id!: ConnectionId;

  @OptionalField(
    text({
      max: 160,
      description: 'The policy for a payment by an agent alone; if absent, the oldest active one that permits it',
    }),
  )
  policy_id?: PolicyId;

  @OptionalField(idempotencyKey)
  idempotency_key?: string;

  @OptionalField(keyScope)
  idempotency_scope?: 'merchant' | 'connection';

  @OptionalField(ifDuplicate)
  if_duplicate?: 'allow' | 'refuse';

  @OptionalField(dateTime('At most 30 days away; 15 minutes from now if absent'))
  expires_at?: string;

  @OptionalField(freeFormWithoutPayee('Whatever the caller wants back; never who is paid'))
  metadata?: Readonly<Record<string, unknown>>;
}

export class ListAgentPaymentsInput extends PageInput {
  @OptionalField(oneOf(AGENT_PAYMENT_STATUSES))
  status?: AgentPaymentStatus;

  @OptionalField(text({ max: 160, description: 'Only those of this connection' }))
  connection_id?: ConnectionId;

  @OptionalField(transactionHash('Only those for which a wallet reported exactly this transaction'))
  transaction_hash?: string;
}

export class AgentPaymentByKeyInput {
  @OptionalField(
    text({
      max: 160,
      description: 'The connection, if the key may be one of its own; if absent, the key is the merchant’s',
    }),
  )
  connection_id?: ConnectionId;
}

export class ReportAgentPaymentInput extends StatusReportInput {
  @Field(
    oneOf(
      AGENT_PAYMENT_STATUSES,
      'A wallet reports signed, broadcasted, confirmed, failed or rejected; what it reports is its own claim',
      'signed',
    ),
  )
  status!: AgentPaymentStatus;
}
