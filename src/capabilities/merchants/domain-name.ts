import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { type DomainHolder, type DomainNameEvent } from '../../events/domain-name.events';
import { type DomainNameId, type MerchantId } from '../../kernel/aggregates';

type OfHolder = Readonly<{ nameId: DomainNameId; holder: DomainHolder; at: string }>;

export type DomainNameCommand =
  /** `holder` is what the merchant's own stream has recorded as proven. */
  | (OfHolder & Readonly<{ kind: 'take'; domain: string }>)
  | (OfHolder & Readonly<{ kind: 'see'; location: string }>)
  | (OfHolder & Readonly<{ kind: 'miss'; reason: string }>);

export type DomainNameState = Readonly<{
  holder: DomainHolder | null;
  /** What the present holder's proof superseded: its merchant's own stream may have to be told yet. */
  superseded: DomainHolder | null;
  /** The newest proof of each merchant that was counted: a repeat turns nothing round. */
  counted: ReadonlyMap<MerchantId, number>;
  /** When the challenge was last looked for, with whatever result. */
  lookedAt: string;
}>;

/**
 * A name and the merchant that has proven it last, over all merchants. The order of this stream decides between
 * merchants that prove one name at the same time: each of them has its proof in a stream of its own.
 */
export const domainName: Decider<DomainNameState, DomainNameCommand, DomainNameEvent> = {
  category: 'domain_name',
  initial: { holder: null, superseded: null, counted: new Map(), lookedAt: '' },

  decide(command, { holder: before, counted, lookedAt }) {
    const { nameId: name_id, holder, at } = command;
    switch (command.kind) {
      case 'take': {
        if ((counted.get(holder.merchant_id) ?? 0) >= holder.proof_version) return [];
        const superseded = before === null || before.merchant_id === holder.merchant_id ? null : before;
        return [
          {
            type: 'DomainNameProven',
            data: { name_id, domain: command.domain, holder, superseded, proven_at: at },
          },
        ];
      }
      case 'see':
        if (!isSame(holder, before) || at === lookedAt) return [];
        return [{ type: 'DomainNameSeen', data: { name_id, holder, location: command.location, seen_at: at } }];
      case 'miss':
        if (!isSame(holder, before) || at === lookedAt) return [];
        return [{ type: 'DomainNameMissed', data: { name_id, holder, reason: command.reason, missed_at: at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'DomainNameProven': {
        const { holder, superseded, proven_at: lookedAt } = event.data;
        const counted = new Map(state.counted).set(holder.merchant_id, holder.proof_version);
        return { holder, superseded, counted, lookedAt };
      }
      case 'DomainNameSeen':
        return { ...state, lookedAt: event.data.seen_at };
      case 'DomainNameMissed':
        return { ...state, lookedAt: event.data.missed_at };
      default:
        return assertNever(event);
    }
  },
};

export const isSame = (one: DomainHolder, other: DomainHolder | null): boolean =>
  one.merchant_id === other?.merchant_id && one.proof_version === other.proof_version;
