import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type DomainMethod, type MerchantEvent } from '../../events/merchant.events';
import { type DomainId, type MerchantId } from '../../kernel/aggregates';

export type MerchantCommand = Readonly<
  | {
      kind: 'register-domain';
      merchantId: MerchantId;
      /** For a name that is new to the merchant; a known name keeps its id. */
      domainId: DomainId;
      domain: string;
      method: DomainMethod;
      challenge: string;
      at: string;
      expiresAt: string;
      under?: MaybeUnderKey | undefined;
    }
  /** `challenge` is the one that was found published at `location`. */
  | {
      kind: 'verify-domain';
      merchantId: MerchantId;
      domainId: DomainId;
      challenge: string;
      location: string;
      at: string;
    }
  /** Another merchant has proven the name since the proof of that version was recorded. */
  | { kind: 'supersede-domain'; merchantId: MerchantId; domainId: DomainId; proofVersion: number; at: string }
  | { kind: 'give-up-domain'; merchantId: MerchantId; domainId: DomainId; at: string }
  | { kind: 'rename'; merchantId: MerchantId; version: number; name: string; at: string }
>;

export type MerchantDomain = Readonly<{
  domainId: DomainId;
  domain: string;
  method: DomainMethod;
  challenge: string;
  challengeExpiresAt: string;
  status: DomainStatus;
  /** The version of the merchant's stream at which the last proof was recorded; 0 before there is one. */
  proofVersion: number;
}>;

export type DomainStatus = 'pending' | 'verified' | 'superseded' | 'given_up';

/** All of them are in the merchant's state, which is read for every proof. */
export const MAX_DOMAINS = 100;

type RegisteredUnder = MaybeUnderKey & Readonly<{ domainId: DomainId }>;

export type MerchantState = Readonly<{
  status: 'unknown' | 'pending' | 'active';
  name: string;
  domains: readonly MerchantDomain[];
  /** Which domain was registered under which key: a domain whose challenge expired keeps its id under another. */
  keys: ReadonlyMap<string, RegisteredUnder>;
  /** The number of events, as callers see it. */
  version: number;
}>;

/** An organization that takes payments. It becomes active with the first domain it verifies. */
export const merchant: Decider<MerchantState, MerchantCommand, MerchantEvent> = {
  category: 'merchant',
  initial: { status: 'unknown', name: '', domains: [], keys: new Map(), version: 0 },

  decide(command, state) {
    if (state.status === 'unknown') throw refuse('resource_not_found');
    switch (command.kind) {
      case 'register-domain': {
        const { merchantId, domain, method, challenge, at, expiresAt, under } = command;
        const before = registeredUnder(state, under);
        if (before !== undefined) return repeated(before, under);
        const known = state.domains.find((one) => one.domain === domain);
        if (known?.challenge === challenge) return [];
        if (known !== undefined && isInUse(known, at)) {
          throw refuse('domain_already_registered', { field: 'domain', details: { domain_id: known.domainId } });
        }
        const living = state.domains.filter(({ status }) => status !== 'given_up');
        if (!living.some((one) => one === known) && living.length >= MAX_DOMAINS)
          throw refuse('limit_reached', { details: { limit: MAX_DOMAINS } });
        const domain_id = known?.domainId ?? command.domainId;
        return [
          {
            type: 'MerchantDomainRegistered',
            data: {
              merchant_id: merchantId,
              domain_id,
              domain,
              method,
              challenge,
              registered_at: at,
              challenge_expires_at: expiresAt,
              ...underKey(under),
            },
          },
        ];
      }
      case 'verify-domain': {
        const { merchantId, domainId, challenge, location, at } = command;
        const known = domainOf(state, domainId);
        if (known.status === 'verified') return [];
        if (known.challenge !== challenge || hasExpired(known, at)) throw refuse('challenge_expired');
        const { domain, method } = known;
        const verified: MerchantEvent = {
          type: 'MerchantDomainVerified',
          data: {
            merchant_id: merchantId,
            domain_id: domainId,
            domain,
            method,
            location,
            verified_at: at,
            in_feed: true,
          },
        };
        if (state.status === 'active') return [verified];
        return [
          verified,
          { type: 'MerchantActivated', data: { merchant_id: merchantId, domain_id: domainId, activated_at: at } },
        ];
      }
      case 'supersede-domain': {
        const { merchantId, domainId, proofVersion, at } = command;
        const { domain, status, proofVersion: last } = domainOf(state, domainId);
        // It has been given up, or proven again, since.
        if (status !== 'verified' || last !== proofVersion) return [];
        return [
          {
            type: 'MerchantDomainSuperseded',
            data: {
              merchant_id: merchantId,
              domain_id: domainId,
              domain,
              proof_version: proofVersion,
              superseded_at: at,
            },
          },
        ];
      }
      case 'give-up-domain': {
        const { merchantId, domainId, at } = command;
        const { domain, status } = domainOf(state, domainId);
        if (status === 'given_up') return [];
        return [
          {
            type: 'MerchantDomainGivenUp',
            data: { merchant_id: merchantId, domain_id: domainId, domain, given_up_at: at },
          },
        ];
      }
      case 'rename': {
        const { merchantId, version, name, at } = command;
        if (version !== state.version) {
          throw refuse('version_conflict', { details: { current_version: state.version } });
        }
        if (name === state.name) return [];
        return [{ type: 'MerchantRenamed', data: { merchant_id: merchantId, name, renamed_at: at } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(before, event) {
    const state = { ...before, version: before.version + 1 };
    switch (event.type) {
      case 'MerchantCreated':
        return { ...state, status: 'pending', name: event.data.name };
      case 'MerchantDomainRegistered': {
        const { domain_id: domainId, domain, method, challenge, challenge_expires_at: challengeExpiresAt } = event.data;
        const others = state.domains.filter((one) => one.domainId !== domainId);
        const registered = {
          domainId,
          domain,
          method,
          challenge,
          challengeExpiresAt,
          status: 'pending',
          proofVersion: 0,
        } as const;
        return { ...state, domains: [...others, registered], keys: withKey(state.keys, event.data) };
      }
      case 'MerchantDomainVerified':
        return withDomain(state, event.data.domain_id, { status: 'verified', proofVersion: state.version });
      case 'MerchantDomainSuperseded':
        return withDomain(state, event.data.domain_id, { status: 'superseded' });
      case 'MerchantDomainGivenUp':
        return withDomain(state, event.data.domain_id, { status: 'given_up' });
      case 'MerchantActivated':
        return { ...state, status: 'active' };
      case 'MerchantRenamed':
        return { ...state, name: event.data.name };
      default:
        return assertNever(event);
    }
  },
};

const withDomain = (state: MerchantState, id: DomainId, changes: Partial<MerchantDomain>): MerchantState => ({
  ...state,
  domains: state.domains.map((one) => (one.domainId === id ? { ...one, ...changes } : one)),
});

/** What needs no new challenge, or no other one yet. */
const isInUse = (known: MerchantDomain, at: string): boolean =>
  known.status === 'verified' || (known.status === 'pending' && !hasExpired(known, at));

/** One of the merchant's own domains; any other is treated as nonexistent. */
export function domainOf(state: MerchantState, domainId: DomainId): MerchantDomain {
  const found = state.domains.find((one) => one.domainId === domainId);
  if (found === undefined) throw refuse('resource_not_found');
  return found;
}

/** A challenge that has been seen once proves the name again for as long as it is published. */
export const hasExpired = ({ status, challengeExpiresAt }: MerchantDomain, at: string): boolean =>
  status === 'given_up' || (status === 'pending' && at >= challengeExpiresAt);

/** What a call with this key registered before. */
export const registeredUnder = (
  { keys }: MerchantState,
  under: MaybeUnderKey | undefined,
): RegisteredUnder | undefined => keys.get(under?.idempotency_key ?? '');

function withKey(
  keys: MerchantState['keys'],
  { domain_id: domainId, ...data }: MaybeUnderKey & Readonly<{ domain_id: DomainId }>,
): MerchantState['keys'] {
  const under = underKey(data);
  return under.idempotency_key === undefined ? keys : new Map(keys).set(under.idempotency_key, { domainId, ...under });
}
