import { type Thresholds } from '../../../sdk/src/types/agent-payment.ts';
import { fromField, toField } from '../../ui/field-times.ts';

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** What a new policy is for. */
export const aboutIn = (form: FormData) => ({
  connection_id: textOf(form, 'connection_id'),
  network: textOf(form, 'network'),
  asset: textOf(form, 'asset'),
});

/** The form's values; a missing or invalid time is left out, and the service reports it as missing. */
export function thresholdsIn(form: FormData): Partial<Thresholds> {
  const text = (name: string): string => textOf(form, name);
  const [from, until] = [fromField(text('valid_from')), fromField(text('valid_until'))];
  const allowlist = form.getAll('allowlist').flatMap((one) => (typeof one === 'string' ? one.split(/[\s,]+/) : []));
  return {
    single_tx_limit: text('single_tx_limit'),
    cumulative_limit: text('cumulative_limit'),
    ...(from ? { valid_from: from } : {}),
    ...(until ? { valid_until: until } : {}),
    allowlist: allowlist.filter((id) => id !== ''),
  };
}

/**
 * Only what differs from the current limits. A form field drops a time's seconds, which might make it looser than
 * proposed, so a time equal to the proposed one up to the minute counts as the proposed one.
 */
export function chosenInstead(now: Thresholds, proposed: Thresholds, chosen: Partial<Thresholds>): Partial<Thresholds> {
  const exact = (name: 'valid_from' | 'valid_until'): string | undefined => {
    const time = chosen[name];
    return time !== undefined && toField(time) === toField(proposed[name]) ? proposed[name] : time;
  };
  const [from, until] = [exact('valid_from'), exact('valid_until')];
  const meant = { ...chosen, ...(from ? { valid_from: from } : {}), ...(until ? { valid_until: until } : {}) };
  return Object.fromEntries(
    Object.entries(meant).filter(([name, value]) => !isSame(now[name as keyof Thresholds], value)),
  );
}

function isSame(one: string | readonly string[], other: string | readonly string[]): boolean {
  if (typeof one === 'string' || typeof other === 'string') {
    return one === other || (isTime(one) && isTime(other) && toField(one) === toField(other));
  }
  return one.length === other.length && one.every((id) => other.includes(id));
}

const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
