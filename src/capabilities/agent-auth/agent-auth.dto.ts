import { dateTime, integer, text } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';

export class ExchangeAssertionInput {
  @Field(text({ max: 4096, description: 'A compact JWS signed by the agent’s key', example: 'eyJhbGciOiJFZERTQSIs…' }))
  assertion!: string;
}

export const tokenAnswer = {
  agent_token: text({ max: 100, example: 'svc_at_…' }).schema,
  token_type: { type: 'string', const: 'Bearer' },
  expires_in: integer(0, 600, 'Seconds; less than 600 only if the credential itself expires sooner').schema,
  expires_at: dateTime().schema,
};
