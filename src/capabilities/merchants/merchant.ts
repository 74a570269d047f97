import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
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
  | { kind: 'rename'; merchantId: MerchantId; version: number; name: string; at: string }
>;

export type MerchantDomain = Readonly<{
  domainId: DomainId;
  domain: string;
  method: DomainMethod;
  challenge: string;
  challengeExpiresAt: string;
  verified: boolean;
}>;

/** All of them are in the merchant's state, which is read for every proof. */
export const MAX_DOMAINS = 100;

export type MerchantState = Readonly<{
  status: 'unknown' | 'pending' | 'active';
  name: string;
  domains: readonly MerchantDomain[];
  /** The number of events, as callers see it. */
  version: number;
}>;

/** An organization that takes payments. It becomes active with the first domain it verifies. */
export const merchant: Decider<MerchantState, MerchantCommand, MerchantEvent> = {
  category: 'merchant',
  initial: { status: 'unknown', name: '', domains: [], version: 0 },

  decide(command, state) {
    if (state.status === 'unknown') throw refuse('resource_not_found');
    switch (command.kind) {
      case 'register-domain': {
        const { merchantId, domain, method, challenge, at, expiresAt } = command;
        const known = state.domains.find((one) => one.domain === domain);
        if (known?.challenge === challenge) return [];
        if (known !== undefined && (known.verified || at < known.challengeExpiresAt)) {
          throw refuse('domain_already_registered', { field: 'domain', details: { domain_id: known.domainId } });
        }
        if (known === undefined && state.domains.length >= MAX_DOMAINS)
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
            },
          },
        ];
      }
      case 'verify-domain': {
        const { merchantId, domainId, challenge, location, at } = command;
        const known = domainOf(state, domainId);
        if (known.verified) return [];
        if (known.challenge !== challenge || hasExpired(known, at)) throw refuse('challenge_expired');
        const { domain, method } = known;
        const verified: MerchantEvent = {
          type: 'MerchantDomainVerified',
          data: { merchant_id: merchantId, domain_id: domainId, domain, method, location, verified_at: at },
        };
        if (state.status === 'active') return [verified];
        return [
          verified,
          { type: 'MerchantActivated', data: { merchant_id: merchantId, domain_id: domainId, activated_at: at } },
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
        const registered = { domainId, domain, method, challenge, challengeExpiresAt, verified: false };
        return { ...state, domains: [...others, registered] };
      }
      case 'MerchantDomainVerified': {
        const { domain_id: domainId } = event.data;
        const domains = state.domains.map((one) => (one.domainId === domainId ? { ...one, verified: true } : one));
        return { ...state, domains };
      }
      case 'MerchantActivated':
        return { ...state, status: 'active' };
      case 'MerchantRenamed':
        return { ...state, name: event.data.name };
      default:
        return assertNever(event);
    }
  },
};

/** One of the merchant's own domains; any other is treated as nonexistent. */
export function domainOf(state: MerchantState, domainId: DomainId): MerchantDomain {
  const found = state.domains.find((one) => one.domainId === domainId);
  if (found === undefined) throw refuse('resource_not_found');
  return found;
}

export const hasExpired = ({ challengeExpiresAt }: MerchantDomain, at: string): boolean => at >= challengeExpiresAt;
