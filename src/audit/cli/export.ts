import { createHash } from 'node:crypto';
import { hexOf } from '../log/checkpoints';
import { canonical, type ExportHeader, type ExportSeal } from '../proofs';
import { StreamOwners } from '../log/stream-owner';
import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamsBehind } from './payment-streams';
import { presentable } from './present';
import { scan } from './scan';
import { readSignedLog, type SignedLog } from './signed-log';
import { EXIT, type ExitCode, type Surroundings, withLog } from './surroundings';

export type Scope = Readonly<{ kind: 'all' } | { kind: 'merchant'; id: string } | { kind: 'payment'; id: string }>;

/** Lines that check can judge alone. What came after the newest checkpoint is left out: it cannot be proven yet. */
export function exportLog(around: Surroundings, scope: Scope): Promise<ExitCode> {
  return withLog(around, async (store) => {
    const signed = await readSignedLog(store, 'looking for the newest checkpoint');
    if (signed === undefined) {
      around.note('nothing has been signed yet: let the service run for a minute, then export again');
      return EXIT.wrong;
    }
    const wanted = await selection(store, scope);
    if (wanted === undefined) {
      around.note(`there is no payment ${scope.kind === 'payment' ? scope.id : ''}`);
      return EXIT.wrong;
    }
    const events = await write(around, store, scope, signed, wanted);
    const newer = signed.newer > 0 ? `, ${signed.newer} newer left out: no checkpoint covers them yet` : '';
    around.note(`${events} events exported${newer}`);
    return events > 0 ? EXIT.fine : EXIT.wrong;
  });
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
  { out }: Surroundings,
  store: EventStore,
  scope: Scope,
  { checkpoint, keys, tree }: SignedLog,
  wanted: Selection,
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
  const seal: ExportSeal = { checkpoint, keys, events, sha256: digest.digest('hex') };
  out(canonical(seal));
  return events;
}

const nameOf = (scope: Scope): string => (scope.kind === 'all' ? 'all' : `${scope.kind} ${scope.id}`);
