import { type Issue, type Refusal, refuse, refuseInput } from './errors';

/**
 * One answer for all that is wrong with a submission. Several problems, of whatever kind, are validation_failed with every one
 * listed; a lone problem that has a code of its own is answered with that code.
 */
export function refusalFor(issues: readonly Issue[]): Refusal {
  const [only] = issues;
  if (issues.length === 1 && only !== undefined) {
    if (only.code === 'resource_not_found') return refuse('resource_not_found');
    if (only.code === 'recipient_version_not_active' || only.code === 'IDEMPOTENCY_KEY_MISMATCH') {
      return refuse(only.code, { issues });
    }
  }
  return refuseInput(issues);
}
