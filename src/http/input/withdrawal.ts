import { text } from './checks';
import { OptionalField } from './field.decorator';

/** Why the caller takes a payment back. */
export class WithdrawInput {
  @OptionalField(
    text({ max: 500, lines: true, description: 'Why it is withdrawn: the person and the merchant see it' }),
  )
  reason?: string;
}
