import { type Issue, type Refusal, refuse, refuseInput } from '../../kernel/errors';

const MISMATCH = 'IDEMPOTENCY_KEY_MISMATCH';
const KEY_FIELD = /^(?:x-)?idempotency[-_]key$/;

/**
 * One answer for all that is wrong with a submission. Several problems, of whatever kind, are validation_failed with every one
 * listed; a lone problem that has a code of its own is answered with that code. Keys that differ are, whatever else is wrong
 * with one of them.
 */
export function refusalFor(issues: readonly Issue[], activeVersionId: string | null = null): Refusal {
  const [only] = issues;
  if (issues.length === 1 && only !== undefined) {
    if (only.code === 'resource_not_found') return refuse('resource_not_found');
    if (only.code === 'recipient_version_not_active') {
      // So that a payee's new address does not stop its agents: they ask again, with the version that holds now.
      return refuse(only.code, { issues, details: { active_version_id: activeVersionId } });
    }
  }
  const isAboutKeys = issues.every(({ field }) => KEY_FIELD.test(field));
  if (isAboutKeys && issues.some(({ code }) => code === MISMATCH)) return refuse(MISMATCH, { issues });
  return refuseInput(issues);
}
