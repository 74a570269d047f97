import { createHash } from 'node:crypto';
import { hexOf } from '../log/checkpoints';
import { asField, canonical, type ExportHeader, type ExportSeal } from '../proofs';
import { SigningKey } from '../log/signing-key';
import { StreamOwners } from '../log/stream-owner';
import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamsBehind } from './payment-streams';
import { presentable } from './present';
import { scan } from './scan';
import { readSignedLog, type SignedLog } from './signed-log';
import { knownSecret } from './known-secret';
import { EXIT, type ExitCode, type AuditCall, UsageError, withLog } from './audit-call';

export type Scope = Readonly<{ kind: 'all' } | { kind: 'merchant'; id: string } | { kind: 'payment'; id: string }>;

/** Lines that `check` can verify on their own. Omits events after the newest checkpoint: they cannot be proven yet. */
export function exportLog(call: AuditCall, scope: Scope): Promise<ExitCode> {
  return withLog(call, async (store) => {
    const signed = await readSignedLog(store, 'looking for the newest checkpoint');
    if (signed === undefined) {
      call.note('nothing has been signed yet: let the service run for a minute, then export again');
      return EXIT.wrong;
    }
    const key = scope.kind === 'all' ? undefined : keyFor(call, signed);
    const wanted = await selection(store, scope);
    if (wanted === undefined) {
      call.note(`there is no payment ${scope.kind === 'payment' ? scope.id : ''}`);
      return EXIT.wrong;
    }
    const events = await write(call, store, { scope, signed, wanted, key });
    // Checkpoints always come after the events they cover, so they are not reported as left out.
    const left = await unsigned(store, signed.checkpoint.tree_size, wanted);
    const newer = left > 0 ? `, ${left} newer left out: no checkpoint covers them yet` : '';
    call.note(`${events} events exported${newer}`);
    return events > 0 ? EXIT.fine : EXIT.wrong;
  });
}

type Export = Readonly<{ scope: Scope; signed: SignedLog; wanted: Selection; key: SigningKey | undefined }>;

/** The key that signs the log also states that an exported part is complete. */
function keyFor({ config }: AuditCall, { checkpoint }: SignedLog): SigningKey {
  const secret = knownSecret(config);
  if (secret === undefined)
    throw new UsageError('to export a part of the log, set SERVICE_SECRET: it signs the export');
  const key = new SigningKey(secret, config);
  if (key.id === checkpoint.key_id) return key;
  throw new UsageError(`the log was signed by key ${checkpoint.key_id}, which does not belong to this SERVICE_SECRET`);
}

/** Events that belong to the export but come after the checkpoint; the log's own bookkeeping does not count. */
async function unsigned(store: EventStore, size: number, wanted: Selection): Promise<number> {
  let place = 0;
  let count = 0;
  for await (const event of scan(store, { label: 'looking for newer events' })) {
    if (place >= size && event.type !== 'CheckpointSigned' && (await wanted(event))) count += 1;
    place += 1;
  }
  return count;
}

type Selection = (event: RecordedEvent) => Promise<boolean>;

async function selection(store: EventStore, scope: Scope): Promise<Selection | undefined> {
  switch (scope.kind) {
    case 'all':
      return async () => true;
    case 'merchant': {
      const owners = new StreamOwners(store);
      return async (event) => (await owners.of(event)) === scope.id;
    }
    case 'payment': {
      const streams = await streamsBehind(store, scope.id);
      return streams.size === 0 ? undefined : async ({ stream }) => streams.has(stream);
    }
  }
}

async function write(
  { out }: AuditCall,
  store: EventStore,
  { scope, signed: { checkpoint, keys, endorsements, tree }, wanted, key }: Export,
): Promise<number> {
  const { origin, tree_size } = checkpoint;
  const digest = createHash('sha256');
  const line = (value: object): void => {
    const text = canonical(value);
    digest.update(`${text}\n`);
    out(text);
  };
  const header: ExportHeader = { format: 'svc.export.v1', scope: nameOf(scope), origin, tree_size };
  line(header);
  let events = 0;
  let leaf = 0;
  for await (const event of scan(store, { label: 'exporting', most: tree_size })) {
    if (await wanted(event)) {
      const inclusion = scope.kind === 'all' ? {} : { inclusion: hexOf(await tree.inclusion(leaf, tree_size)) };
      line({ ...presentable(event), leaf_index: leaf, ...inclusion });
      events += 1;
    }
    leaf += 1;
  }
  const sealed = { checkpoint, keys, ...asField(endorsements), events, sha256: digest.digest('hex') };
  const about = { scope: nameOf(scope), events, sha256: sealed.sha256 };
  const seal: ExportSeal = key === undefined ? sealed : { ...sealed, statement: key.seal(checkpoint, about) };
  out(canonical(seal));
  return events;
}

const nameOf = (scope: Scope): string => (scope.kind === 'all' ? 'all' : `${scope.kind} ${scope.id}`);
