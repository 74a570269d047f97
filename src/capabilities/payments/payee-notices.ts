import { assetKey } from '../../../projections/payee-history.projection';
import { isStale } from '../../access/proof-age';
import { type Known, type Reviewed } from './review';
import { type Notice, notice, versionIn } from './review-notice';

/** The payee is paid elsewhere by now, or not at all. */
export function aboutVersion(reviewed: Reviewed, { recipient, isOpen }: Known): Notice | undefined {
  const version = versionIn(recipient, reviewed);
  if (!isOpen || version === undefined || recipient === undefined) return undefined;
  const code = 'payee_version_superseded';
  if (version.status === 'retired') {
    const message = 'The payee has withdrawn these payment details for good. Do not pay without asking.';
    return notice(code, 'danger', message, { since: version.retired_at });
  }
  if (version.status !== 'superseded') return undefined;
  const active = recipient.versions.find((one) => one.recipient_version_id === recipient.active_version_id);
  const isElsewhere = active?.address !== version.address || assetKey(active) !== assetKey(version);
  const message = isElsewhere
    ? 'The payee is paid at another address by now. Ask the payee before you approve.'
    : 'The payee has changed its payment details since this was asked for; the address is the same.';
  return notice(code, isElsewhere ? 'danger' : 'warning', message, { since: active?.activated_at });
}

/** Until it has been paid itself: then the person has decided which of them is meant. */
export function aboutName({ facts }: Reviewed, { history, namesakes }: Known): Notice | undefined {
  if (history?.last_facts.address === facts.address) return undefined;
  const other = namesakes.find(({ last_facts }) => last_facts.address !== facts.address);
  if (other === undefined) return undefined;
  const message =
    'You have paid another payee of this name, at another address. Make sure that this is the one you mean.';
  return notice('payee_name_reused', 'danger', message, { since: other.last_confirmed_at });
}

export function aboutDomain({ domain, now }: Known): Notice | undefined {
  if (domain === undefined) return undefined;
  const { status, superseded_at, last_seen_at } = domain;
  if (status !== 'verified') {
    if (superseded_at === null) return undefined;
    const message = 'Somebody else has proven the payee’s domain since. Ask the payee before you approve.';
    return notice('domain_proven_by_another', 'danger', message, { since: superseded_at });
  }
  if (last_seen_at === null || !isStale(last_seen_at, now)) return undefined;
  const message = 'The proof of the payee’s domain has not been seen for a month.';
  return notice('domain_proof_stale', 'warning', message, { since: last_seen_at });
}
