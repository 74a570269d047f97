import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore } from '../../../platform/event-store/event-store.port';
import { verifyEventStore } from '../../../platform/event-store/open-event-store';
import { openReadModelIn, openReadModelReadOnly } from '../../../platform/read-model/read-model.module';
import { type ReadModelStore } from '../../../platform/read-model/read-model.port';
import { asJson } from '../present';
import { scan } from '../scan';
import { EXIT, type ExitCode, type AuditCall, withLog } from '../audit-call';
import { CheckedLog } from './checked-log';
import { compareModels } from './compare';
import { Findings } from './findings';
import { invariants } from './invariants';
import { RebuiltModel } from './rebuilt-model';
import { SignatureCheck } from './signatures';

/** Replays the whole log, whether or not the service is running, and reports every finding and where it is. */
export async function verify(call: AuditCall, trustedKeys?: readonly string[]): Promise<ExitCode> {
  await verifyEventStore(call.config);
  return withLog(call, async (store) => {
    const live = await openReadModelReadOnly(call.config);
    try {
      const { findings, ...figures } = await verifyAll(store, live, trustedKeys);
      report(call, findings, figures, trustedKeys);
      return exitCodeOf(findings, figures, trustedKeys);
    } finally {
      await live.close();
    }
  });
}

type Figures = Readonly<{
  events: number;
  documents: number;
  checkpoints: number;
  /** How many events come after what the checkpoints cover: no signature says anything about them. */
  unsigned: number;
  unsettled: number;
  behind: number;
}>;

export async function verifyAll(
  store: EventStore,
  live: ReadModelStore,
  trustedKeys?: readonly string[],
): Promise<Figures & Readonly<{ findings: Findings }>> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-verify-'));
  const model = await openReadModelIn(directory);
  try {
    const findings = new Findings();
    const rebuilt = new RebuiltModel(store, model, findings);
    await rebuilt.open();
    const end = await store.head();
    const log = new CheckedLog(store, end, findings);
    const signatures = new SignatureCheck(findings, trustedKeys);
    let events = 0;
    for await (const event of scan(store, { label: 'verifying', until: end })) {
      events += 1;
      signatures.check(event);
      await rebuilt.add(event);
      await log.check(event);
    }
    await rebuilt.store();
    log.done(events);
    const compared = await compareModels(store, live, rebuilt, findings);
    const { checkpoints, covered } = signatures;
    return { findings, events, ...compared, checkpoints, unsigned: Math.max(0, events - covered) };
  } finally {
    await model.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A caller who passes a key wants to know who signed the log: an unsigned log fails, even if it is consistent. */
export function exitCodeOf(
  { count }: Pick<Findings, 'count'>,
  { checkpoints }: Pick<Figures, 'checkpoints'>,
  trustedKeys: readonly string[] | undefined,
): ExitCode {
  if (count > 0) return EXIT.wrong;
  return trustedKeys !== undefined && checkpoints === 0 ? EXIT.unvouched : EXIT.fine;
}

const OTHER_CHECKS = [
  { name: 'signed-checkpoints', says: 'every checkpoint has the root of this log and is signed with a published key' },
  { name: 'read-model', says: 'every document is what the log says, byte for byte' },
];

const KEY_FROM_LOG =
  'The keys were taken from the log itself, which proves that the log is consistent, but not whose it is: pass the published key with --key.';

const KEY_OF_NOTHING =
  'There is no checkpoint in the log: the key that you named has signed nothing of it, and anybody could have written it.';

export function report(
  { json, out }: Pick<AuditCall, 'json' | 'out'>,
  findings: Findings,
  figures: Figures,
  trustedKeys: readonly string[] | undefined,
): void {
  const { events, documents, checkpoints, unsigned, unsettled, behind } = figures;
  const key = trustedKeys === undefined || checkpoints === 0 ? 'unvouched' : 'trusted';
  if (json) {
    for (const finding of findings.kept) out(asJson(finding));
    out(asJson({ ...figures, findings: findings.count, key }));
    return;
  }
  for (const { name, says } of [...invariants, ...OTHER_CHECKS]) {
    const { kept, count } = findings.of(name);
    out(`${count === 0 ? 'holds ' : 'BROKEN'}  ${name}: ${says}`);
    for (const { where, event_id, what } of kept) out(`        ${where}${event_id ? ` (${event_id})` : ''}: ${what}`);
    if (count > kept.length) out(`        and ${count - kept.length} more`);
  }
  if (trustedKeys === undefined) out(KEY_FROM_LOG);
  else if (checkpoints === 0) out(KEY_OF_NOTHING);
  else if (unsigned > 0) out(`The last ${unsigned} event(s) come after what was signed: no key vouches for them yet.`);
  if (unsettled > 0) out(`${unsettled} document(s) kept changing and could not be compared: run it again`);
  if (behind > 0)
    out(
      `${behind} document(s) depend on events that the read model has not applied yet: start the service and run it again`,
    );
  out(`${events} events, ${documents} documents and ${checkpoints} checkpoints: ${findings.count} finding(s)`);
}
