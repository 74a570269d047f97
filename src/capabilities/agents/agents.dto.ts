import { type AgentDocument, type CredentialDocument } from '../../../projections/agents.projection';
import {
  type Check,
  dateTime,
  distinct,
  integer,
  type JsonSchema,
  list,
  named,
  nullable,
  object,
  oneOf,
  text,
} from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { SCOPES } from '../../kernel/scopes';
import { refuse } from '../../kernel/errors';
import { decodeSignature, isSoundPublicKey, normalisePublicKey } from '../../platform/secrets/ed25519';
import { type AgentStatus, REVOCATION_REASONS, type RevocationReason } from '../../events/agent.events';
import { type CredentialId } from '../../kernel/aggregates';

const id = (example: string): Check => text({ max: 160, example });
const anyVersion = integer(1, Number.MAX_SAFE_INTEGER, 'The agent’s current version');
const name = text({ max: 120, description: 'What the wallet user will read', example: 'Checkout agent' });

const scopeList = distinct(list(oneOf(SCOPES), 20, 1));

export class CreateAgentInput extends KeyedInput {
  @Field(name)
  name!: string;

  @Field(text({ max: 120, description: 'What the agent runs on', example: 'node' }))
  runtime!: string;

  @Field(oneOf(['testnet']))
  environment!: string;

  @Field(scopeList)
  allowed_scopes!: string[];
}

export class ChangeAgentInput {
  @Field(anyVersion)
  version!: number;

  @OptionalField(oneOf(['active', 'suspended', 'revoked'], 'active needs an active credential; revoked is final'))
  status?: Exclude<AgentStatus, 'pending'>;

  @OptionalField(name)
  name?: string;

  @OptionalField(scopeList)
  allowed_scopes?: string[];
}

const keyText = text({
  max: 44,
  description: 'base64url or base64 of the 32 bytes',
  example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
});
const publicKey: Check = {
  problems: (value) => {
    const problems = keyText.problems(value);
    if (problems.length > 0) return problems;
    const key = normalisePublicKey(value as string);
    if (key === undefined) return [{ code: 'malformed', message: 'must be 32 bytes in base64url or base64' }];
    return isSoundPublicKey(key)
      ? []
      : [{ code: 'unsafe_key', message: 'is a weak key: anyone can forge its signatures; create a new pair' }];
  },
  schema: keyText.schema,
};

const signatureText = text({
  max: 88,
  description: 'Ed25519 over the challenge’s UTF-8 bytes; base64url or base64',
  example: 'A'.repeat(86),
});
const signature: Check = {
  problems: (value) => {
    const problems = signatureText.problems(value);
    if (problems.length > 0 || decodeSignature(value as string) !== undefined) return problems;
    return [{ code: 'malformed', message: 'must be 64 bytes in base64url or base64' }];
  },
  schema: signatureText.schema,
};

const kid = text({
  max: 128,
  pattern: /^[\x21-\x7e]+$/,
  form: 'visible ASCII characters',
  description: 'The agent’s own name for this key',
  example: 'key-1',
});

export class RegisterCredentialInput extends KeyedInput {
  @Field(kid)
  kid!: string;

  @Field(oneOf(['Ed25519']))
  alg!: string;

  @Field(publicKey)
  public_key!: string;

  @Field(dateTime(undefined, '2026-01-01T00:00:00.000Z'))
  not_before!: string;

  @Field(dateTime('Must be later than now and later than not_before', '2030-01-31T12:00:00.000Z'))
  expires_at!: string;
}

export class ActivateCredentialInput {
  @Field(text({ max: 500, description: 'The proof_challenge, exactly as received' }))
  challenge!: string;

  @Field(signature)
  signature!: string;
}

const revocationReason = oneOf(
  REVOCATION_REASONS,
  'compromised, the default, also ends the connections that were opened with it; rotated leaves them to the agent’s other keys',
);

export class RevokeCredentialInput {
  @OptionalField(revocationReason)
  reason?: RevocationReason;
}

const credential = object({
  credential_id: id('crd_01JZ5Y0W3X0000000000000000'),
  kid,
  alg: oneOf(['Ed25519']),
  public_key: keyText,
  status: oneOf(['pending', 'active', 'revoked']),
  not_before: dateTime(),
  expires_at: dateTime(),
  proof_challenge_expires_at: dateTime(),
  created_at: dateTime(),
  activated_at: nullable(dateTime()),
  revoked_at: nullable(dateTime()),
  revocation_reason: nullable(revocationReason),
});
export const credentialSchema: JsonSchema = named('AgentCredential', credential.schema);

export const agentSchema: JsonSchema = named(
  'Agent',
  object({
    agent_id: id('agt_01JZ5Y0W3X0000000000000000'),
    name,
    runtime: text({ max: 120 }),
    environment: oneOf(['testnet']),
    allowed_scopes: scopeList,
    status: oneOf(['pending', 'active', 'suspended', 'revoked']),
    credentials: list(credential, 500),
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(
      1,
      Number.MAX_SAFE_INTEGER,
      'Identifies the state of the record; changes to credentials do not count',
    ),
  }).schema,
);

export const agentView = ({ id: agent_id, merchant_id: _, in_use: _inUse, ...rest }: AgentDocument) => ({
  agent_id,
  ...rest,
});

export function credentialOf({ credentials }: AgentDocument, credentialId: CredentialId): CredentialDocument {
  const found = credentials.find(({ credential_id: candidate }) => candidate === credentialId);
  if (found === undefined) throw refuse('resource_not_found');
  return found;
}
