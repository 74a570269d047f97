/**
 * Checks what the service proves, without the service: for Node and browsers alike, on nothing but hashes, signatures and
 * canonical JSON.
 */
export { ExportCheck, type ExportedEvent, type ExportHeader, type ExportSeal } from './check-export';
export {
  checkConsistency,
  checkProof,
  type CheckOptions,
  type ConsistencyProof,
  type EventProof,
  type PaymentProof,
} from './check-proof';
export { type Checkpoint, checkpointProblem, keyIdOf, type PublicKey, signedBytes } from './checkpoint';
export { canonical, leafHash, leafText, type ProvenEvent, veil } from './leaf';
export { isConsistent, nodeHash, parseHash, rootFromInclusion, RootOfAll } from './merkle';
export { type Verdict } from './verdict';
