import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json';
import { type RecipientFacts, type RecipientVersionVerified } from '../../events/recipient.events';

export type Proof = RecipientVersionVerified['data']['proof'];

/** Binds what will be paid to the evidence for the payee: changing either changes the digest. */
export const evidenceDigest = (facts: RecipientFacts, proof: Proof): string =>
  `sha256:${createHash('sha256').update(canonicalJson({ facts, proof })).digest('hex')}`;
