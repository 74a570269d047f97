import { type LeaseChange, type Leases } from '../read-model/read-model.port';

/** Under which an instance says that it is there. */
export const memberOf = (instance: string): string => `m${instance}`;

/** The next beat of one, in whose hands it is from then on. */
export function changeOf(found: Leases, name: string, holder: string | null): LeaseChange {
  const seen = found.get(name);
  return { name, seen, next: { holder, beat: (seen?.beat ?? 0) + 1 } };
}
