import {
  type Check,
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
import {
  checkPaymentFacts,
  type MemoRule,
  type Network,
  networkNames,
  type PaymentFactsAnswer,
  rails,
} from '../../networks';

/** The same maximum lengths as for a recipient's facts. */
const fact = (max: number, description: string): Check => text({ max, description });

export class CheckAddressInput {
  @Field(
    text({
      max: 300,
      description: 'The payee’s address',
      example: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    }),
  )
  address!: string;

  @OptionalField(fact(80, 'The network’s own asset if absent'))
  asset?: string;

  @OptionalField(nullable(fact(500, 'Memo, tag or comment')))
  memo?: string | null;

  @OptionalField(nullable(fact(300, 'The token’s contract, on EVM networks')))
  contract?: string | null;

  @OptionalField(nullable(fact(300, 'The asset’s issuer, on Stellar')))
  issuer?: string | null;
}

/** What creating a recipient with these facts would report. A contract or issuer requires an asset: none is guessed. */
export function judgeFacts(network: Network, input: CheckAddressInput): PaymentFactsAnswer {
  const given = {
    memo: input.memo ?? undefined,
    contract: input.contract ?? undefined,
    issuer: input.issuer ?? undefined,
  };
  const namesToken = given.contract !== undefined || given.issuer !== undefined;
  const asset = input.asset ?? (namesToken ? '' : usualAsset(network));
  return checkPaymentFacts({ network: network.name, asset, address: input.address, ...given });
}

/** Base is offered for USDC, not for its native asset. */
const usualAsset = ({ native }: Network): string => (native.rail === undefined ? 'USDC' : native.asset);

const count = (description: string): Check => integer(0, Number.MAX_SAFE_INTEGER, description);

export const networkSchema: JsonSchema = named(
  'Network',
  object({
    network: oneOf(networkNames),
    title: text({ max: 80, description: 'For people', example: 'Stellar testnet' }),
    testnet: flag,
    enabled: { ...flag, schema: { ...flag.schema, description: 'Whether a recipient on it can be activated here' } },
    rails: list(oneOf(rails), rails.length, 1),
    native_asset: text({ max: 20, example: 'XLM' }),
    decimals: integer(0, 255, 'Of the native asset'),
    native_payable: { ...flag, schema: { ...flag.schema, description: 'False if only tokens can be requested' } },
    tokens: oneOf(
      ['none', 'erc20', 'stellar_credit'],
      'How other assets are identified: not at all, by contract or by issuer',
    ),
    chain_id: nullable(count('EVM networks only')),
    memo: object(
      {
        kind: oneOf(['none', 'text', 'integer']),
        called: text({ max: 40, example: 'destination tag' }),
        max_bytes: count('Of a text, in UTF-8'),
        bits: count('Of an unsigned integer'),
      },
      ['called', 'max_bytes', 'bits'],
    ),
  }).schema,
);

export const networkView = (network: Network, enabled: readonly string[]) => ({
  network: network.name,
  title: network.title.replace(/^the /, ''),
  testnet: network.testnet,
  enabled: enabled.includes(network.name),
  rails: network.rails,
  native_asset: network.native.asset,
  decimals: network.native.decimals,
  native_payable: network.native.rail !== undefined,
  tokens: network.tokens,
  chain_id: network.chainId ?? null,
  memo: memoView(network.memo),
});

function memoView(rule: MemoRule) {
  switch (rule.kind) {
    case 'none':
      return { kind: rule.kind };
    case 'text':
      return { kind: rule.kind, called: rule.called, max_bytes: rule.maxBytes };
    case 'integer':
      return { kind: rule.kind, called: rule.called, bits: rule.bits };
  }
}

const issue = object({ code: text({ max: 80 }), field: text({ max: 80 }), message: text({ max: 500 }) });

export const verdictSchema: Readonly<Record<string, JsonSchema>> = {
  valid: { type: 'boolean', description: 'Whether a recipient with these facts would be accepted' },
  issues: {
    type: 'array',
    items: named('AddressIssue', issue.schema),
    description: 'Every problem, as creating a recipient would report it',
  },
  facts: { anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] },
};
