import { OptionalField } from './field.decorator';
import { text } from './checks';
import { type ConnectionId } from '../../kernel/aggregates';
import { refuseInput } from '../../kernel/errors';

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

/** A report may name it in body or query. Two different ones are refused: neither may be ignored. */
export function chosenConnection(
  { connection_id: inBody }: ConnectionChoiceInput,
  { connection_id: inQuery }: ConnectionChoiceInput,
): ConnectionId | undefined {
  if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery) throw refuseInput([CONFLICTING_CONNECTIONS]);
  return inBody ?? inQuery;
}

const CONFLICTING_CONNECTIONS = {
  code: 'mismatch',
  field: 'connection_id',
  message: 'differs between query and body; send only one of them',
};
