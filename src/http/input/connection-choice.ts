import { OptionalField } from './field.decorator';
import { text } from './checks';
import { type ConnectionId } from '../../kernel/aggregates';

/** Tells requests with the same id apart, for a wallet that holds them from several merchants. */
export const connectionChoice = text({
  max: 160,
  description: 'The connection it belongs to, where a wallet holds requests of the same id from several merchants',
  example: 'con_01JZ5Y0W3X0000000000000000',
});

export class ConnectionChoiceInput {
  @OptionalField(connectionChoice)
  connection_id?: ConnectionId;
}
