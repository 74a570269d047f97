import { type LeaseChange, type Leases } from '../read-model/read-model.port';

/** The lease under which an instance announces itself. */
export const memberOf = (instance: string): string => `m${instance}`;

/** A renewal or handover: increments the beat and sets the holder. */
export function changeOf(found: Leases, name: string, holder: string | null): LeaseChange {
  const seen = found.get(name);
  return { name, seen, next: { holder, beat: (seen?.beat ?? 0) + 1 } };
}
