import { type RecipientDocument, type RecipientVersionDocument } from '../../../projections/recipients.projection';
import {
  type Check,
  dateTime,
  flag,
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
import { refuse, refuseInput } from '../../kernel/errors';
import { checkPaymentFacts, networkNames, rails } from '../../networks';
import { FactField, OptionalFactField } from './fact-field.decorator';
import { type RecipientFacts } from '../../events/recipient.events';
import { type DomainId, type EvidenceId, type RecipientVersionId } from '../../kernel/aggregates';

const anyVersion = integer(1, Number.MAX_SAFE_INTEGER, 'The recipient’s current version');
const network: Check = { ...text({ max: 80 }), schema: { ...oneOf(networkNames).schema, example: 'stellar_testnet' } };
const id = (example: string): Check => text({ max: 160, example });

class FactsInput extends KeyedInput {
  @FactField(network)
  network!: string;

  @FactField(text({ max: 80, description: 'The network’s own asset or a token’s code', example: 'XLM' }))
  asset!: string;

  @FactField(
    text({
      max: 300,
      description: 'Where the payee is paid, with the chain’s own checksum',
      example: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    }),
  )
  address!: string;

  @OptionalFactField(nullable(text({ max: 500, description: 'Memo, tag or comment the payee asks for' })))
  memo?: string | null;

  @OptionalFactField(nullable(text({ max: 300, description: 'The token’s contract, on EVM networks' })))
  contract?: string | null;

  @OptionalFactField(nullable(text({ max: 300, description: 'The asset’s issuer, on Stellar' })))
  issuer?: string | null;
}

export class CreateRecipientInput extends FactsInput {
  @Field(text({ max: 120, description: 'Who is paid, as the wallet user will read it', example: 'Example Shop' }))
  name!: string;
}

export class AddVersionInput extends FactsInput {
  @Field(anyVersion)
  version!: number;
}

export class VerifyVersionInput {
  @Field(id('rcv_01JZ5Y0W3X0000000000000000'))
  recipient_version_id!: RecipientVersionId;

  @Field(oneOf(['domain_proof']))
  type!: string;

  @Field(text({ max: 160, description: 'One of your own verified domains', example: 'dom_01JZ5Y0W3X0000000000000000' }))
  source_id!: DomainId;

  @Field(anyVersion)
  version!: number;
}

export class ActivateVersionInput {
  @Field(id('evd_01JZ5Y0W3X0000000000000000'))
  evidence_id!: EvidenceId;

  @Field(text({ max: 80, description: 'As returned by the verification', example: 'sha256:9f86d0…' }))
  evidence_digest!: string;

  @Field(anyVersion)
  version!: number;
}

export class RetireVersionInput {
  @Field(anyVersion)
  version!: number;

  @OptionalField({
    ...flag,
    schema: { ...flag.schema, description: 'Withdraws what is still pending on this version' },
  })
  withdraw_pending?: boolean;
}

/** The facts and everything derived from them; the input class has already checked them, so this does not fail late. */
export function factsOf({ network, asset, address, ...input }: FactsInput): RecipientFacts {
  const given = {
    memo: input.memo ?? undefined,
    contract: input.contract ?? undefined,
    issuer: input.issuer ?? undefined,
  };
  const answer = checkPaymentFacts({ network, asset, address, ...given });
  if (!answer.ok) throw refuseInput(answer.issues);
  const { memo = null, contract = null, issuer = null, decimals = null, chain_id = null, ...rest } = answer.facts;
  return { ...rest, memo, contract, issuer, decimals, chain_id };
}

const proof = object({
  type: oneOf(['domain_proof']),
  domain_id: id('dom_01JZ5Y0W3X0000000000000000'),
  domain: text({ max: 253, example: 'shop.example' }),
  method: oneOf(['dns', 'https']),
  verified_at: dateTime('When the domain was proven'),
});

const evidence = object({
  evidence_id: id('evd_01JZ5Y0W3X0000000000000000'),
  evidence_digest: text({
    max: 80,
    description: 'sha256 over the RFC 8785 form of {facts, proof}; facts are the nine payment fields of the version',
  }),
  proof,
  verified_at: dateTime(),
});
export const evidenceSchema: JsonSchema = named('Evidence', evidence.schema);

const version = object(
  {
    recipient_version_id: id('rcv_01JZ5Y0W3X0000000000000000'),
    number: integer(1, Number.MAX_SAFE_INTEGER, 'Counts the versions of this recipient'),
    status: oneOf(['created', 'verified', 'active', 'superseded', 'retired']),
    rail: oneOf(rails),
    network: oneOf(networkNames),
    asset: text({ max: 80 }),
    address: text({ max: 300 }),
    memo: nullable(text({ max: 500 })),
    contract: nullable(text({ max: 300 })),
    issuer: nullable(text({ max: 300 })),
    decimals: nullable(integer(0, 255)),
    chain_id: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
    evidence: nullable(evidence),
    created_at: dateTime(),
    activated_at: nullable(dateTime()),
    retired_at: dateTime('Only of a retired version'),
  },
  ['retired_at'],
);
export const recipientVersionSchema: JsonSchema = named('RecipientVersion', version.schema);

export const recipientSchema: JsonSchema = named(
  'Recipient',
  object({
    recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
    name: text({ max: 120 }),
    active_version_id: nullable(id('rcv_01JZ5Y0W3X0000000000000000')),
    versions: list(version, 500),
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'Identifies the state of the record; send it with every change'),
  }).schema,
);

export const recipientView = ({
  id: recipient_id,
  merchant_id: _,
  payable: _payable,
  activations: _times,
  ...rest
}: RecipientDocument) => ({
  recipient_id,
  ...rest,
});

export function versionIn({ versions }: RecipientDocument, versionId: string): RecipientVersionDocument {
  const found = versions.find(({ recipient_version_id: candidate }) => candidate === versionId);
  if (found === undefined) throw refuse('resource_not_found');
  return found;
}
