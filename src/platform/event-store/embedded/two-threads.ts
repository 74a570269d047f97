import { type ThreadLink } from '../../threads/thread-link';
import { type AppendResult, type NewEvent, StoreUnavailable } from '../event-store.port';
import { EmbeddedEventStore } from './embedded-event-store';
import { type EventLog } from './event-log';

type Append = Readonly<{ stream: string; expectedVersion: number; events: readonly NewEvent[] }>;
type Appended = AppendResult | Readonly<{ kind: 'unavailable'; outcome: StoreUnavailable['outcome']; why: string }>;

/**
 * The log in the thread that writes it, for itself and for the others. lmdb would let all write; but a transaction that checks
 * a version in JavaScript holds the file until its thread comes round to it, and a busy thread would hold up the others.
 */
export class WritingEventStore extends EmbeddedEventStore {
  private telling: NodeJS.Immediate | undefined;

  constructor(
    log: EventLog,
    release: () => void,
    /** The first is told of what was appended; the others hear of it when reads show it. */
    private readonly links: readonly ThreadLink[],
  ) {
    super(log, release);
    for (const link of links) {
      link.answer<Append>('append', ({ stream, expectedVersion, events }) =>
        this.append(stream, expectedVersion, events).catch(asAnswer),
      );
    }
  }

  override async append(...append: Parameters<EmbeddedEventStore['append']>): Promise<AppendResult> {
    const result = await super.append(...append);
    if (result.kind === 'appended') this.telling ??= setImmediate(() => this.tell());
    return result;
  }

  /** Once for all that were committed together. */
  private tell(): void {
    this.telling = undefined;
    this.links[0]?.tell('appended');
  }
}

/** The same log in another thread, which reads it and asks for its appends. */
export class AskingEventStore extends EmbeddedEventStore {
  constructor(
    log: EventLog,
    private readonly link: ThreadLink,
  ) {
    super(log, () => undefined);
    const heard = (): void => {
      this.look();
      this.bell.ring();
    };
    link.onTold('appended', heard);
    link.onTold('shown', heard);
  }

  protected override async write(stream: string, expectedVersion: number, events: readonly NewEvent[]) {
    const result = await this.link.ask<Appended>('append', { stream, expectedVersion, events });
    this.look();
    if (result.kind === 'unavailable') throw new StoreUnavailable(result.outcome, new Error(result.why));
    return result;
  }

  /** What was read last stays as it was until then, however long ago another thread has written. */
  private look(): void {
    this.log.tables.root.resetReadTxn();
  }
}

function asAnswer(error: unknown): Appended {
  if (!(error instanceof StoreUnavailable)) throw error;
  const { outcome, cause } = error;
  return { kind: 'unavailable', outcome, why: cause instanceof Error ? cause.message : String(cause) };
}
