import { type MerchantDomainDocument } from '../../../projections/merchants.projection';
import { parseExactDomain } from '../../platform/egress/domain-names';
import { type Check, dateTime, integer, type JsonSchema, named, object, oneOf, text } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { organizationName } from '../../access/merchant-view';
import { challengeView } from './challenge';
import { type DomainMethod } from '../../events/merchant.events';

const exactDomain: Check = {
  problems: (value) => {
    if (typeof value !== 'string') return [{ code: 'wrong_type', message: 'must be a string' }];
    const parsed = parseExactDomain(value);
    return parsed.ok ? [] : [{ code: 'malformed', message: parsed.problem }];
  },
  schema: {
    type: 'string',
    maxLength: 253,
    description: 'An exact host name: no wildcard, port, path, address or public suffix',
    example: 'shop.example.com',
  },
};

const method = oneOf(['dns', 'https'], 'Where the challenge will be published');

export class RegisterDomainInput extends KeyedInput {
  @Field(exactDomain)
  domain!: string;

  @Field(method)
  method!: DomainMethod;
}

export class RenameMerchantInput {
  @Field(integer(1, Number.MAX_SAFE_INTEGER, 'The merchant’s current version'))
  version!: number;

  @Field(organizationName)
  name!: string;
}

/** For calls that need nothing but their session. */
export class NoInput {}

export const domainSchema = named(
  'MerchantDomain',
  object(
    {
      domain_id: text({ max: 160, example: 'dom_01JZ5Y0W3X0000000000000000' }),
      domain: text({ max: 253, example: 'shop.example.com' }),
      method,
      status: oneOf(
        ['pending', 'verified', 'superseded', 'given_up'],
        'superseded: another merchant has proven it since',
      ),
      created_at: dateTime(),
      updated_at: dateTime(),
      verified_at: { ...dateTime(), schema: { type: ['string', 'null'], format: 'date-time' } },
      last_seen_at: dateTime(
        'When the challenge was last seen published; after 30 days it is no evidence for new versions',
      ),
      superseded_at: dateTime('Only where another merchant has proven it since'),
      given_up_at: dateTime('Only of a domain that was given up'),
      version: integer(1, Number.MAX_SAFE_INTEGER, 'The merchant’s version when this domain last changed'),
    },
    ['last_seen_at', 'superseded_at', 'given_up_at'],
  ).schema,
);

const dnsChallenge = named(
  'DnsChallenge',
  object({
    type: oneOf(['dns']),
    record_name: text({ max: 268, example: '_svc-challenge.shop.example.com' }),
    record_type: oneOf(['TXT']),
    record_value: text({ max: 100, example: 'svc-domain-verification=…' }),
    expires_at: dateTime(),
  }).schema,
);

const httpsChallenge = named(
  'HttpsChallenge',
  object({
    type: oneOf(['https']),
    url: text({ max: 400, example: 'https://shop.example.com/.well-known/svc-domain-verification.txt' }),
    content: text({ max: 100 }),
    expires_at: dateTime(),
  }).schema,
);

export const challengeSchema: JsonSchema = named('DomainChallenge', { oneOf: [dnsChallenge, httpsChallenge] });
export const pendingChallengeSchema: JsonSchema = {
  oneOf: [challengeSchema, { type: 'null', description: 'Once the domain is verified' }],
};

/** What has yet to be published, if anything. */
export const pendingChallenge = (document: MerchantDomainDocument) =>
  document.status === 'pending' ? challengeView(document, document.challenge_expires_at) : null;
