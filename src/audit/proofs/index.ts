/**
 * Checks what the service proves, without the service: for Node and browsers alike, with nothing but hashes, signatures
 * and canonical JSON.
 */
export { ExportCheck, type ExportedEvent, type ExportHeader, type ExportSeal } from './check-export.ts';
export {
  checkConsistency,
  checkProof,
  type CheckOptions,
  type ConsistencyProof,
  type EventProof,
  type PaymentProof,
} from './check-proof.ts';
export { asField, type Endorsement } from './endorsements.ts';
export { type Extent, extentBytes, sealBytes, type SealStatement } from './extent.ts';
export {
  type Checkpoint,
  checkpointProblem,
  endorsementBytes,
  keyIdOf,
  type PublicKey,
  signedBytes,
} from './checkpoint.ts';
export { canonical, leafHash, leafText, type Means, type ProvenEvent, veil } from './leaf.ts';
export { isConsistent, nodeHash, parseHash, rootFromInclusion, RootOfAll } from './merkle.ts';
export { proofInText } from './proof-text.ts';
export { type Verdict } from './verdict.ts';
