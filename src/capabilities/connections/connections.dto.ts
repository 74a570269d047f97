import { oneOf } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';

export class ChangeConnectionInput {
  @Field(oneOf(['active', 'paused'], 'paused stops every use of the connection until it is active again'))
  status!: 'active' | 'paused';
}

/** For calls that need nothing but the credential. */
export class NoInput {}
