import { type Verdict } from '../../../src/audit/proofs/verdict.ts';
import { service } from '../../live/service.ts';

const broken = (...problems: readonly string[]): Verdict => ({ ok: false, proven: [], notProven: [], problems });

/**
 * Checks a proof with the same code that auditors use, trusting the keys that the service publishes. The file's content
 * does not leave the browser. The code is loaded when it is first needed.
 */
export async function checkText(text: string): Promise<Verdict> {
  const parsed = parsedObject(text);
  if (parsed === undefined) return broken('The file is not JSON.');
  // Either the service's whole response, or the proof inside it.
  const proof = (parsed['proof'] ?? parsed['consistency'] ?? parsed) as Record<string, unknown>;
  const [{ checkProof, checkConsistency }, keys] = await Promise.all([
    import('../../../src/audit/proofs/check-proof.ts'),
    service.auditKeys(),
  ]);
  const options = { trustedKeys: keys.map(({ key_id }) => key_id) };
  if (proof['format'] === 'svc.proof.v1') return checkProof(proof as Parameters<typeof checkProof>[0], options);
  if (proof['format'] === 'svc.consistency.v1')
    return checkConsistency(proof as Parameters<typeof checkConsistency>[0], options);
  return broken('The file is no proof of this service: it names no format that is known here.');
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
