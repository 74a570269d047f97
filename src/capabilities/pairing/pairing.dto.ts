import { type PairingSessionDocument } from '../../../projections/pairing-sessions.projection';
import { dateTime, integer, list, named, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { scopeList } from '../../http/input/scope-list';

const code = text({
  max: 40,
  description: 'As the agent shows it; case, spaces and dashes do not matter',
  example: 'ACDE 3479',
});

export class StartPairingInput {
  @Field(scopeList)
  requested_scopes!: readonly string[];
}

export class LookInput {
  @Field(code)
  code!: string;
}

export class ApprovePairingInput {
  @Field(code)
  code!: string;

  @OptionalField(scopeList)
  scopes?: readonly string[];
}

export class RejectPairingInput {
  @Field(code)
  code!: string;
}

const scopes = list(text({ max: 100 }), 20);

const shown = {
  pairing_session_id: text({ max: 160, example: 'prs_01JZ5Y0W3X0000000000000000' }),
  status: oneOf(['pending', 'approved', 'rejected']),
  agent_id: text({ max: 160 }),
  agent_name: text({ max: 200 }),
  merchant_id: text({ max: 160 }),
  merchant_name: text({ max: 200 }),
  merchant_domain: text({ max: 253, description: 'Verified by the merchant' }),
  requested_scopes: scopes,
  scopes: { ...scopes, schema: { anyOf: [scopes.schema, { type: 'null' }] } },
  connection_id: { ...text({ max: 160 }), schema: { type: ['string', 'null'] } },
  created_at: dateTime(),
  updated_at: dateTime(),
  expires_at: dateTime(),
  version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this session has'),
};

export const pairingSessionSchema = named('PairingSession', object(shown).schema);

export const startedSessionSchema = named(
  'StartedPairingSession',
  object({
    ...shown,
    code: text({ max: 8, description: 'Shown once; the person types it into the wallet', example: 'ACDE3479' }),
    uri: text({ max: 1000, description: 'The same for a QR code', example: 'svc://pair?session=prs_…&code=ACDE3479' }),
  }).schema,
);

export const pairingSessionView = ({ id, open: _, code_look_up: _lookUp, ...rest }: PairingSessionDocument) => ({
  pairing_session_id: id,
  ...rest,
});
