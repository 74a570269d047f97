import { type Issue } from '../../kernel/errors';
import { type MaybeUnderKey } from '../../kernel/made-under-key';
import { type EvidenceId, type RecipientVersionId } from '../../kernel/aggregates';
import { type RecipientFacts } from '../../events/recipient.events';
import { evidenceDigest, type Proof } from './evidence';

export type Version = Readonly<{
  number: number;
  facts: RecipientFacts;
  under: MaybeUnderKey;
  evidence: Readonly<{ id: string; proof: Proof }> | null;
  /** Set once it is retired: whether what was pending on it is withdrawn. */
  retired?: Readonly<{ withdrawPending: boolean }>;
}>;

/** Checks the version and the proof that a verification names against the log; absent ones are not checked. */
export function sourceIssues(
  { recipientVersionId, proof }: Readonly<{ recipientVersionId?: RecipientVersionId; proof: Proof | undefined }>,
  { versions }: Readonly<{ versions: ReadonlyMap<string, Version> }>,
): readonly Issue[] {
  const isUnknown = recipientVersionId !== undefined && !versions.has(recipientVersionId);
  const unknown = 'does not name a version of this recipient; read the recipient to see its versions';
  return [
    ...(isUnknown ? [issue('unknown_version', 'recipient_version_id', unknown)] : []),
    ...(proof ? [] : [notAVerifiedDomain]),
  ];
}

export const notAVerifiedDomain: Issue = {
  code: 'not_a_verified_domain',
  field: 'source_id',
  message: 'must be the domain_id of one of your verified domains',
};

/** What has become of the proof that a version's evidence rests on. `gone`: superseded, or given up. */
export type ProofNow = 'holds' | 'stale' | 'gone';

export const proofGone: Issue = {
  code: 'proof_gone',
  field: 'evidence_id',
  message: 'rests on a domain proof that was superseded or given up; prove the domain again',
};

/**
 * The digest is recomputed from the log: the caller activates exactly the facts it saw verified. Absent values are not
 * compared.
 */
export function evidenceIssues(
  { evidenceId, evidenceDigest: digest }: Readonly<{ evidenceId?: EvidenceId; evidenceDigest?: string }>,
  { evidence, facts }: Version,
): readonly Issue[] {
  if (evidence === null)
    return [issue('not_verified', 'evidence_id', 'this version has no evidence yet; verify it first')];
  const wrongDigest = digest !== undefined && digest !== evidenceDigest(facts, evidence.proof);
  return [
    ...(evidenceId === undefined || evidenceId === evidence.id
      ? []
      : [issue('mismatch', 'evidence_id', 'is not this version’s evidence; send what verify returned')]),
    ...(wrongDigest
      ? [issue('mismatch', 'evidence_digest', 'does not match this version’s facts; send what verify returned')]
      : []),
  ];
}

export const issue = (code: string, field: string, message: string): Issue => ({ code, field, message });
