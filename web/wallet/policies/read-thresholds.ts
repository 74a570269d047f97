import { type Thresholds } from '../../../sdk/src/types/agent-payment.ts';
import { fromField, toField } from './times.ts';

/** What the form says; what is not there or no time stays away, and the service says that it is missing. */
export function thresholdsIn(form: FormData): Partial<Thresholds> {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
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

/** Only what differs from the proposal: a time that went through a field has lost its seconds and would come out looser. */
export function tightened(proposed: Thresholds, chosen: Partial<Thresholds>): Partial<Thresholds> {
  const sameTime = (name: 'valid_from' | 'valid_until'): boolean =>
    chosen[name] !== undefined && toField(chosen[name]) === toField(proposed[name]);
  const sameList =
    chosen.allowlist?.length === proposed.allowlist.length &&
    proposed.allowlist.every((id) => chosen.allowlist?.includes(id));
  const isSame: Readonly<Record<keyof Thresholds, boolean>> = {
    single_tx_limit: chosen.single_tx_limit === proposed.single_tx_limit,
    cumulative_limit: chosen.cumulative_limit === proposed.cumulative_limit,
    valid_from: sameTime('valid_from'),
    valid_until: sameTime('valid_until'),
    allowlist: sameList,
  };
  return Object.fromEntries(Object.entries(chosen).filter(([name]) => !isSame[name as keyof Thresholds]));
}
