import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import nacl from 'tweetnacl';
import { type Checkpoint, keyIdOf, type PublicKey } from './checkpoint.ts';
import { canonical, type ProvenEvent } from './leaf.ts';

/**
 * The service's signed statement of which events belong to a proof. Each event can be proven on its own, but only this
 * statement shows that none was removed.
 */
export type Extent = Readonly<{
  /** The request's own stream, and how many events of it the checkpoint covers. */
  stream: string;
  version: number;
  /** The versions of those that are not shown to this caller. */
  withheld: readonly number[];
  /** The leaf indexes of all events shown. */
  leaves: readonly number[];
  key_id: string;
  signature: string;
}>;

/** The same for an export of a part of the log. */
export type SealStatement = Readonly<{ key_id: string; signature: string }>;

type Shown = Readonly<{ leaf_index: number; event: ProvenEvent }>;
type Proven = Readonly<{
  request_id: string;
  checkpoint: Checkpoint;
  keys: readonly PublicKey[];
  events: readonly Shown[];
  extent?: Extent;
}>;
type Members = Readonly<Record<string, unknown>>;

const KEY_TAKEN = 'PaymentRequestKeyTaken';
/** The key that leads to the stream may have been taken for an agent payment first, which was then given up. */
const REQUEST = { streams: 'payment_request-', created: 'PaymentRequestCreated', before: KEY_TAKEN, id: 'request_id' };
/** The same payment may have been refused before. */
const AGENT_PAYMENT = {
  streams: 'agent_payment-',
  created: 'AgentPaymentCreated',
  before: 'AgentPaymentRefused',
  id: 'payment_id',
};
const PROOF = 'svc payment proof extent v1\n';
const EXPORT = 'svc export extent v1\n';
/** A file may claim any number of events: naming each that is missing could take forever. */
const MAX_GAPS = 20;

export const extentBytes = (
  { origin, tree_size, root }: Checkpoint,
  request_id: string,
  { stream, version, withheld, leaves, key_id }: Omit<Extent, 'signature'>,
): Uint8Array =>
  utf8ToBytes(PROOF + canonical({ origin, tree_size, root, request_id, stream, version, withheld, leaves, key_id }));

export const sealBytes = (
  { origin, tree_size, root }: Checkpoint,
  about: Readonly<{ scope: string; events: number; sha256: string; key_id: string }>,
): Uint8Array => utf8ToBytes(EXPORT + canonical({ origin, tree_size, root, ...about }));

/** What is wrong with a statement under these keys; undefined if nothing is. */
export function statementProblem(
  { key_id, signature }: SealStatement,
  bytes: Uint8Array,
  keys: readonly PublicKey[],
): string | undefined {
  const key = keys.find((one) => one.key_id === key_id);
  if (key === undefined || keyIdOf(key.public_key) !== key_id) return 'no known key says what belongs to it';
  const isSigned =
    /^[0-9a-f]{128}$/.test(signature) &&
    nacl.sign.detached.verify(bytes, hexToBytes(signature), hexToBytes(key.public_key));
  return isSigned ? undefined : 'the statement of what belongs to it is not signed by the key it names';
}

/** Checks that a proof is about its request, about all of it up to the checkpoint, and about nothing else. */
export function* extentProblems({ request_id, checkpoint, keys, events, extent }: Proven): Generator<string> {
  if (extent === undefined) {
    yield 'it carries no signed statement of what belongs to it, so anything may have been left out: ask for it again';
    return;
  }
  const forged = statementProblem(extent, extentBytes(checkpoint, request_id, extent), keys);
  if (forged !== undefined) yield forged;
  // Sets, because a file may claim and show any number of events.
  const [shown, due] = [new Set(events.map(({ leaf_index }) => leaf_index)), new Set(extent.leaves)];
  const missing = extent.leaves.filter((leaf) => !shown.has(leaf)).length;
  if (missing > 0) yield `${missing} event(s) that belong to it are missing`;
  for (const { leaf_index, event } of events) {
    if (!due.has(leaf_index)) yield `${nameOf(event)} does not belong to it`;
  }
  yield* requestProblems(request_id, extent, events);
}

function* requestProblems(request_id: string, extent: Extent, events: readonly Shown[]): Generator<string> {
  const own = events.filter(({ event }) => event.stream === extent.stream).map(({ event }) => event);
  const versions = new Set([...own.map(({ version }) => version), ...extent.withheld]);
  for (let version = 1, gaps = 0; version <= extent.version && gaps < MAX_GAPS; version += 1) {
    if (versions.has(version)) continue;
    gaps += 1;
    yield `event ${version} of ${extent.stream} is missing`;
  }
  const kind = extent.stream.startsWith('agent_payment-') ? AGENT_PAYMENT : REQUEST;
  const created = own.find(({ type }) => type === kind.created);
  const begins = own.find(({ type }) => type !== kind.before) === created && own[0]?.version === 1;
  if (!extent.stream.startsWith(kind.streams) || created === undefined || !begins) {
    yield `it does not begin with the creation of ${request_id}`;
    return;
  }
  for (const event of own) {
    const members = event.type === KEY_TAKEN ? ['connection_id', 'merchant_id', 'idempotency_key'] : [kind.id];
    const isOfIt = members.every((name) => (event.data as Members)[name] === (created.data as Members)[name]);
    if (!isOfIt || (created.data as Members)[kind.id] !== request_id) yield `${nameOf(event)} is about another request`;
  }
  const known = streamsBehind(created, events);
  for (const { event } of events) {
    if (event.stream !== extent.stream && !known.has(event.stream)) yield `${nameOf(event)} belongs to another request`;
  }
}

/** The streams that a request depends on, as named in its own events. */
function streamsBehind(created: ProvenEvent, events: readonly Shown[]): ReadonlySet<string> {
  const { connection_id, recipient_id, merchant_id } = created.data as Members;
  const connection = `connection-${String(connection_id)}`;
  const known = [connection, `recipient-${String(recipient_id)}`, `merchant-${String(merchant_id)}`];
  const made = events.find(({ event }) => event.stream === connection && event.type === 'ConnectionCreated');
  const { origin_id } = (made?.event.data ?? {}) as Members;
  const origin = String(origin_id);
  return new Set([...known, `${origin.startsWith('prs_') ? 'pairing_session' : 'connect_invitation'}-${origin}`]);
}

const nameOf = ({ stream, version }: ProvenEvent): string => `event ${version} of ${stream}`;
