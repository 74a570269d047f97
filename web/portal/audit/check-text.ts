import { type Verdict } from '../../../src/audit/proofs/verdict.ts';
import { service } from '../../live/service.ts';

const broken = (...problems: readonly string[]): Verdict => ({ ok: false, proven: [], notProven: [], problems });

/**
 * Checks a proof with the same code that auditors use, trusting the keys that the service publishes. The file's content
 * does not leave the browser. The code is loaded when it is first needed.
 */
export async function checkText(text: string): Promise<Verdict> {
  const [{ checkProof, checkConsistency }, { proofInText }, keys] = await Promise.all([
    import('../../../src/audit/proofs/check-proof.ts'),
    import('../../../src/audit/proofs/proof-text.ts'),
    service.auditKeys(),
  ]);
  const proof = proofInText(text);
  const options = { trustedKeys: keys.map(({ key_id }) => key_id) };
  if (proof?.format === 'svc.proof.v1') return checkProof(proof, options);
  if (proof?.format === 'svc.consistency.v1') return checkConsistency(proof, options);
  return broken('The file is not a proof of this service, or contains more than a proof: request it again.');
}

/** Invalid UTF-8 would be decoded as U+FFFD, a character that the proof may really contain. */
export async function checkFile(file: Pick<Blob, 'arrayBuffer'>): Promise<Verdict> {
  const bytes = await file.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return broken('The file is not UTF-8.');
  }
  return checkText(text);
}
