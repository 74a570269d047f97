import { projections } from '../../../../projections';
import { type Collection, type Document } from '../../../platform/read-model/projection';
import { auditCollections } from '../../log/audit-index';
import { TREE_ID, trees } from '../../tree/tiles';
import { type EventStore, LOG_START } from '../../../platform/event-store/event-store.port';
import { pause } from '../../../kernel/pause';
import { fingerprintOf } from '../../../platform/read-model/projection';
import { type DocumentRef, type ReadModelStore, type Stored } from '../../../platform/read-model/read-model.port';
import { type Findings } from './findings';
import { type RebuiltModel } from './rebuilt-model';

const PAGE_SIZE = 200;
const TREE_COLLECTIONS: ReadonlySet<string> = new Set(auditCollections.map(({ name }) => name));
const MAX_SUSPECTS = 5_000;
const MAX_ROUNDS = 12;
const BETWEEN_ROUNDS_MS = 400;

export type Compared = Readonly<{
  documents: number;
  /** Kept changing during the comparison. */
  unsettled: number;
  /** Created or changed by events that the live read model has not reached. */
  behind: number;
}>;

/**
 * Compares every document of the live read model with the rebuilt one, byte by byte, in both directions. The service
 * may keep running: a document that differs is compared again once the rebuilt model has caught up, and only a lasting
 * difference is a finding.
 */
export async function compareModels(
  store: EventStore,
  live: ReadModelStore,
  rebuilt: RebuiltModel,
  findings: Findings,
): Promise<Compared> {
  if ((await live.state()).fingerprint !== fingerprintOf(projections)) {
    findings.add(
      'read-model',
      'all of it',
      'it was not built by the projections of this version; start the service once',
    );
    return { documents: 0, unsettled: 0, behind: 0 };
  }
  let documents = 0;
  let suspects: DocumentRef[] = [];
  const collections = [...projections.flatMap((projection) => projection.collections), ...auditCollections];
  for (const collection of collections) {
    for (const [from, to] of [
      [rebuilt.model, live],
      [live, rebuilt.model],
    ] as const) {
      for await (const page of pagesOf(from, collection)) {
        if (from === live) documents += page.length;
        const there = await to.load(page.map(({ document }) => ({ collection, id: document.id })));
        page.forEach(({ document, position }, index) => {
          if (!same({ document, position }, there[index])) suspects.push({ collection, id: document.id });
        });
        if (suspects.length > MAX_SUSPECTS) suspects = suspects.slice(0, MAX_SUSPECTS);
      }
    }
  }
  return { documents, ...(await settle(store, live, rebuilt, suspects, findings)) };
}

async function settle(
  store: EventStore,
  live: ReadModelStore,
  rebuilt: RebuiltModel,
  candidates: readonly DocumentRef[],
  findings: Findings,
): Promise<Omit<Compared, 'documents'>> {
  const unique = new Map(candidates.map((ref) => [`${ref.collection.name}/${ref.id}`, ref]));
  let suspects = [...unique.values()];
  for (let round = 0; suspects.length > 0; round += 1) {
    const hasMoved = await catchUp(store, rebuilt);
    // Read the checkpoint first: documents loaded afterwards are at least as recent.
    const projected = (await live.state()).position;
    // The tree follows the log on its own, slightly behind the projections.
    const [tree] = await live.load([{ collection: trees, id: TREE_ID }]);
    const grown = tree?.position ?? LOG_START;
    const [mine, theirs] = [await rebuilt.model.load(suspects), await live.load(suspects)];
    const isLast = round >= MAX_ROUNDS;
    const open: DocumentRef[] = [];
    let behind = 0;
    suspects.forEach((ref, index) => {
      const [one, other] = [mine[index], theirs[index]];
      if (same(one, other)) return;
      // At the same log position there is only one right document; elsewhere the live one may still be catching up.
      const isCertain = (one && other && one.position === other.position) || (isLast && !hasMoved);
      // If a command appended to the log and no service has run since, the live model lags until the next start.
      const shown = TREE_COLLECTIONS.has(ref.collection.name) ? grown : projected;
      const isBehind = one !== undefined && one.position > shown && (other?.position ?? LOG_START) <= shown;
      if (isLast && isBehind) behind += 1;
      else if (isCertain && !isBehind)
        findings.add('read-model', `${ref.collection.name}/${ref.id}`, difference(one, other));
      else open.push(ref);
    });
    if (isLast) return { unsettled: open.length, behind };
    suspects = open;
    if (suspects.length > 0) await pause(BETWEEN_ROUNDS_MS);
  }
  return { unsettled: 0, behind: 0 };
}

/** Returns whether there were new events. */
async function catchUp(store: EventStore, rebuilt: RebuiltModel): Promise<boolean> {
  let hasMoved = false;
  for (;;) {
    const page = await store.readAll(rebuilt.position, PAGE_SIZE);
    for (const event of page) await rebuilt.add(event);
    await rebuilt.store();
    if (page.length === 0) return hasMoved;
    hasMoved = true;
  }
}

async function* pagesOf(model: ReadModelStore, collection: Collection<Document>): AsyncGenerator<readonly Stored[]> {
  let page: Stored[] = [];
  for await (const stored of model.dump(collection)) {
    page.push(stored);
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

const same = (one: Stored | undefined, other: Stored | undefined): boolean =>
  one !== undefined && other !== undefined && textOf(one) === textOf(other);

const textOf = ({ document, position }: Stored): string => `${position} ${JSON.stringify(document)}`;

function difference(mine: Stored | undefined, live: Stored | undefined): string {
  if (live === undefined) return 'it is missing from the read model';
  if (mine === undefined) return 'it is in the read model, but no event created it';
  const [right, wrong] = [mine.document, live.document] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(right ?? {}), ...Object.keys(wrong ?? {})]);
  const differing = [...names].filter((name) => JSON.stringify(right?.[name]) !== JSON.stringify(wrong?.[name]));
  return differing.length > 0
    ? `it differs from what the log says in ${differing.join(', ')}`
    : `it is at position ${live.position} of the log instead of ${mine.position}, or its fields are in another order`;
}
