import { type Checkpoint, checkpointProblem, type PublicKey } from './checkpoint.ts';
import { type Endorsement, type KeysOfFile, trustedIds } from './endorsements.ts';
import { type Extent, extentProblems } from './extent.ts';
import { formProblems, unknownMembers } from './file-form.ts';
import { leafHash, type ProvenEvent } from './leaf.ts';
import { isConsistent, parseHash, rootFromInclusion } from './merkle.ts';
import { NEVER_PROVEN, failed, keyIsEndorsed, keyIsPinned, unpinned, type Verdict } from './verdict.ts';

export type EventProof = Readonly<{ leaf_index: number; event: ProvenEvent; inclusion: readonly string[] }>;

/** What GET /v1/payment-requests/{id}/proof returns under `proof`. */
export type PaymentProof = Readonly<{
  format: 'svc.proof.v1';
  request_id: string;
  checkpoint: Checkpoint;
  keys: readonly PublicKey[];
  /** How its keys follow from earlier ones, so that trusting an older key is enough. */
  endorsements?: readonly Endorsement[];
  events: readonly EventProof[];
  /** Missing in proofs made before there was one; those no longer hold. */
  extent?: Extent;
  /** Events that the checkpoint does not cover yet. Not proven. */
  pending?: number;
}>;

/** What GET /v1/audit/consistency returns under `consistency`. */
export type ConsistencyProof = Readonly<{
  format: 'svc.consistency.v1';
  from: Checkpoint;
  to: Checkpoint;
  keys: readonly PublicKey[];
  endorsements?: readonly Endorsement[];
  proof: readonly string[];
}>;

const PROOF = ['format', 'request_id', 'checkpoint', 'events', 'extent', 'pending'];
const CONSISTENCY = ['format', 'from', 'to', 'proof'];

/** The keys that the caller trusts; without any, those that came with the proof, and the verdict says so. */
export type CheckOptions = Readonly<{ trustedKeys?: readonly string[] }>;

export function checkProof(proof: PaymentProof, options: CheckOptions = {}): Verdict {
  return guarded(() => {
    const { checkpoint, events, request_id } = proof;
    const problems = [
      ...formProblems(proof, PROOF),
      ...unknownMembers('checkpoint', checkpoint),
      ...unknownMembers('extent', proof.extent),
      ...signatureProblems([checkpoint], proof, options),
      ...(proof.extent ? statementKeyProblems(proof.extent.key_id, proof, options) : []),
    ];
    for (const one of events) {
      problems.push(...unknownMembers('shown', one), ...unknownMembers('event', one.event));
      const { stream, version } = one.event;
      const path = one.inclusion.map(parseHash);
      const root = rootFromInclusion(leafHash(one.event), one.leaf_index, checkpoint.tree_size, path);
      if (root !== checkpoint.root)
        problems.push(`event ${version} of ${stream} is not in the signed log as it is shown here`);
    }
    problems.push(...orderProblems(events), ...extentProblems(proof));
    if (problems.length > 0) return failed(...problems);
    const { proven, open } = keyWords(checkpoint, proof, options);
    const veiled = events.reduce((sum, { event }) => sum + Object.keys(event.veiled ?? {}).length, 0);
    return {
      ok: true,
      problems,
      proven: [
        ...proven,
        `Each of the ${events.length} events shown was in the log of ${checkpoint.origin} exactly as shown, at the place shown, when its first ${checkpoint.tree_size} events were signed at ${checkpoint.time}.`,
        `They are all that the log held about ${request_id} for the party that requested the proof, up to that moment: ${proof.extent?.version ?? 0} event(s) of its own, without a gap from the first${withheldWords(proof.extent)}.`,
      ],
      notProven: [
        ...open,
        `That nothing was added about ${request_id} after ${checkpoint.time}.`,
        ...(veiled > 0 ? [`What the ${veiled} veiled members contain: their digests are proven, not shown.`] : []),
        ...NEVER_PROVEN,
      ],
    };
  });
}

export function checkConsistency(consistency: ConsistencyProof, options: CheckOptions = {}): Verdict {
  return guarded(() => {
    const { from, to } = consistency;
    const problems = [
      ...formProblems(consistency, CONSISTENCY),
      ...unknownMembers('checkpoint', from),
      ...unknownMembers('checkpoint', to),
      ...signatureProblems([from, to], consistency, options),
    ];
    const sizes = [from, to].map(({ tree_size: size, root }) => ({ size, root }));
    const [first, second] = sizes;
    const path = consistency.proof.map(parseHash);
    if (!first || !second || !isConsistent(first, second, path)) {
      problems.push(`the log of ${to.tree_size} events is not the log of ${from.tree_size} events with events added`);
    }
    if (problems.length > 0) return failed(...problems);
    const { proven, open } = keyWords(to, consistency, options);
    return {
      ok: true,
      problems,
      proven: [
        ...proven,
        `The log that was signed at ${to.time} holds the ${from.tree_size} events that were signed at ${from.time}, unchanged and in the same order, and ${to.tree_size - from.tree_size} more.`,
      ],
      notProven: [...open, comparedByEye(from), ...NEVER_PROVEN],
    };
  });
}

/** A log that was restored from a backup may sign a second checkpoint of a size that it had signed before. */
const comparedByEye = ({ tree_size, root }: Checkpoint): string =>
  `That the checkpoint of ${tree_size} events is the one you kept: compare its root, ${root}. Another root means another log.`;

export function* signatureProblems(
  checkpoints: readonly Checkpoint[],
  file: KeysOfFile,
  options: CheckOptions,
): Generator<string> {
  for (const checkpoint of checkpoints) {
    const problem = checkpointProblem(checkpoint, file.keys);
    if (problem !== undefined) yield problem;
    yield* statementKeyProblems(checkpoint.key_id, file, options);
  }
}

/** A statement about a file's extent is only as trustworthy as the key that signed it. */
export function* statementKeyProblems(
  key_id: string,
  file: KeysOfFile,
  { trustedKeys }: CheckOptions,
): Generator<string> {
  const trusted = trustedIds(file, trustedKeys);
  if (trusted?.has(key_id) === false)
    yield `key ${key_id} is not one of those you trust, and none of them has endorsed it`;
}

export function keyWords({ key_id }: Checkpoint, { keys }: KeysOfFile, { trustedKeys }: CheckOptions) {
  const pinned = trustedKeys !== undefined;
  const isNamed = trustedIds({ keys }, trustedKeys)?.has(key_id) ?? false;
  return {
    proven: [pinned && !isNamed ? keyIsEndorsed(key_id) : keyIsPinned(pinned, key_id)],
    open: unpinned(pinned, key_id),
  };
}

/** Files are untrusted input: one that does not even have the format of a proof must be reported, not crash. */
export function guarded(check: () => Verdict): Verdict {
  try {
    return check();
  } catch (error) {
    return failed(
      `this is not a proof of the kind it claims to be (${error instanceof Error ? error.message : 'unreadable'})`,
    );
  }
}

/** Each event once, and a stream's events in the order of the log. */
function orderProblems(events: readonly EventProof[]): readonly string[] {
  const problems: string[] = [];
  const last = new Map<string, number>();
  let before = -1;
  for (const { leaf_index, event } of events) {
    if (leaf_index <= before) problems.push(`event ${event.version} of ${event.stream} is not in the order of the log`);
    if (event.version <= (last.get(event.stream) ?? 0)) {
      problems.push(`event ${event.version} of ${event.stream} comes after a later one`);
    }
    before = leaf_index;
    last.set(event.stream, event.version);
  }
  return problems;
}

const withheldWords = (extent: Extent | undefined): string =>
  extent === undefined || extent.withheld.length === 0
    ? ''
    : `, ${extent.withheld.length} of them not shown to that party`;
