import { OptionalField } from './field.decorator';
import { text } from './checks';
import { type ConnectionId } from '../../kernel/aggregates';
import { complete, readDraft } from './draft';

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

/**
 * A body that may also name its connection in the query. Two different ones are refused, as neither may be ignored, and
 * the problems of both parts are listed together.
 */
export function readWithConnection<Input extends ConnectionChoiceInput>(
  type: new () => Input,
  body: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): Input {
  const [inBody, inQuery] = [readDraft(type, body), readDraft(ConnectionChoiceInput, query)];
  const [one, other] = [inBody.sound.connection_id, inQuery.sound.connection_id];
  const areTorn = one !== undefined && other !== undefined && one !== other;
  const input = complete(inBody, [...inQuery.issues, ...(areTorn ? [CONFLICTING_CONNECTIONS] : [])]);
  return other === undefined ? input : { ...input, connection_id: other };
}

const CONFLICTING_CONNECTIONS = {
  code: 'mismatch',
  field: 'connection_id',
  message: 'differs between query and body; send only one of them',
};
