import { CheckedLog } from '../../src/audit/cli/verify/checked-log';
import { Findings } from '../../src/audit/cli/verify/findings';
import { type EventStore, LOG_START } from '../../src/platform/event-store/event-store.port';

const PAGE = 500;

const onPurpose = new Set<string>();

/** For a suite that writes what the service never would: this promise is broken in its log. */
export const breaksOnPurpose = (invariant: string): void => void onPurpose.add(invariant);

/** Throws if the log of a service breaks a promise that auditors check: whatever a suite does, none may be broken. */
export async function assertVerified(store: EventStore): Promise<void> {
  const findings = new Findings();
  const end = await store.head();
  const log = new CheckedLog(store, end, findings);
  let seen = 0;
  for (let after = LOG_START; after < end;) {
    const events = (await store.readAll(after, PAGE)).filter(({ position }) => position <= end);
    for (const event of events) await log.check(event);
    seen += events.length;
    after = events.at(-1)?.position ?? end;
  }
  log.done(seen);
  const unwanted = findings.kept.filter(({ invariant }) => !onPurpose.has(invariant));
  const said = unwanted.map(({ invariant, where, what }) => `${invariant}, ${where}: ${what}`);
  if (said.length > 0) throw new Error(`the log of this service breaks promises:\n${said.join('\n')}`);
}
