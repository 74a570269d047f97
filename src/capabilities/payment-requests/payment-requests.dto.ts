import { AsOfInput } from '../../http/input/as-of';
import { connectionChoice } from '../../http/input/connection-choice';
import { amount } from '../../http/input/amount';
import { type Check, dateTime, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { freeFormWithoutPayee } from '../../http/input/free-form';
import { PageInput } from '../../http/input/pagination';
import { StatusReportInput, transactionHash } from '../../http/input/status-report';
import { idempotencyKey } from '../../http/input/idempotency-key';
import { type FreeForm } from './intent';
import {
  PAYMENT_REQUEST_PROTOCOL,
  PAYMENT_REQUEST_STATUSES,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';
import { EndOf } from '../../http/input/time-range';
import { withoutFacts } from '../../http/input/stray-facts';
import { transactionId } from '../../http/input/transaction-id';
import { type AgentId, type ConnectionId, type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';

const approval: Check = {
  problems: (value) => (value === true ? [] : [{ code: 'must_be_true', message: 'must be true' }]),
  schema: { type: 'boolean', const: true },
};

/** An id that fits in a path: not just dots, which would mean another path. */
export const pathId = (description: string, reserved = '(?!)'): Check =>
  text({
    max: 160,
    pattern: new RegExp(`^(?!\\.{1,2}$)(?!${reserved})[A-Za-z0-9._:-]+$`),
    form: 'made of A-Z a-z 0-9 . _ : - and not reserved',
    description,
  });

export class CreatePaymentRequestInput {
  @OptionalField(oneOf([PAYMENT_REQUEST_PROTOCOL], 'Optional'))
  protocol?: string;

  @Field(text({ max: 160, example: 'rcp_01JZ5Y0W3X0000000000000000' }))
  recipient_id!: RecipientId;

  @Field(text({ max: 160, description: 'The active version', example: 'rcv_01JZ5Y0W3X0000000000000000' }))
  recipient_version_id!: RecipientVersionId;

  @Field(withoutFacts(object({ amount }), ['amount']))
  payment!: { amount: string };

  @OptionalField(dateTime('At most 30 days away; 15 minutes from now if absent'))
  expires_at?: string;

  @Field(object({ requires_user_approval: approval }))
  policy!: { requires_user_approval: true };

  @OptionalField(idempotencyKey)
  idempotency_key?: string;

  @OptionalField(
    oneOf(
      ['allow', 'refuse'],
      'What to do if the connection has requested the same amount for the same recipient within 24 hours',
    ),
  )
  if_duplicate?: 'allow' | 'refuse';

  @OptionalField(
    pathId('Becomes the request’s id, unique within the merchant; not starting with pr_', 'pr_|events$|by-key$'),
  )
  request_id?: string;

  @OptionalField(transactionId('The transaction context that the person sees with it'))
  transaction_id?: string;

  @OptionalField(
    freeFormWithoutPayee('Where the request comes from; the caller’s identity is added and takes precedence'),
  )
  source?: FreeForm;

  @OptionalField(freeFormWithoutPayee('What to show; never who is paid'))
  display?: FreeForm;

  @OptionalField(freeFormWithoutPayee('Whatever the caller wants back; never who is paid'))
  metadata?: FreeForm;
}

export class ListPaymentRequestsInput extends PageInput {
  @OptionalField(oneOf(PAYMENT_REQUEST_STATUSES))
  status?: PaymentRequestStatus;

  @OptionalField(text({ max: 160, description: 'Only those requested by this agent' }))
  agent_id?: AgentId;

  @OptionalField(text({ max: 160, description: 'Only those of this connection' }))
  connection_id?: ConnectionId;

  @OptionalField(text({ max: 160, description: 'Only those to this recipient, in any version' }))
  recipient_id?: RecipientId;

  @OptionalField(dateTime('Only those created at this time or later'))
  created_from?: string;

  @EndOf('created_from')
  @OptionalField(dateTime('Only those created at this time or earlier'))
  created_to?: string;

  @OptionalField(transactionHash('Only those for which a wallet reported exactly this transaction'))
  transaction_hash?: string;

  @OptionalField(
    text({
      max: 256,
      description:
        'For merchants: those whose request id, transaction id, idempotency key or transaction hash is exactly this',
    }),
  )
  q?: string;
}

export class ReadPaymentRequestInput extends AsOfInput {
  @OptionalField(connectionChoice)
  connection_id?: ConnectionId;
}

export class ReportStatusInput extends StatusReportInput {
  @Field(
    oneOf(
      PAYMENT_REQUEST_STATUSES,
      'A wallet reports signed, broadcasted, confirmed, failed or rejected; what it reports is its own claim',
      'signed',
    ),
  )
  status!: PaymentRequestStatus;

  @OptionalField(connectionChoice)
  connection_id?: ConnectionId;
}
