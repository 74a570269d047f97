import { refusalOfKeys } from '../../http/input/idempotency-key';
import { type Issue, type Refusal, refuse, refuseInput } from '../../kernel/errors';

/**
 * One response for everything wrong with a submission. Several problems, of whatever kind, are validation_failed with
 * all of them listed; a single problem with a code of its own gets that code. So do differing keys, whatever else is
 * wrong with one of them.
 */
export function refusalFor(issues: readonly Issue[], activeVersionId: string | null = null): Refusal {
  const [only] = issues;
  if (issues.length === 1 && only !== undefined) {
    if (only.code === 'resource_not_found') return refuse('resource_not_found');
    if (only.code === 'recipient_version_not_active') {
      // Lets agents retry with the version now in force, so that a payee's new address does not stop them.
      return refuse(only.code, { issues, details: { active_version_id: activeVersionId } });
    }
  }
  return refusalOfKeys(issues) ?? refuseInput(issues);
}
