import { type Clock } from '../../kernel/clock';
import { type EventStore, type Position, type RecordedEvent } from '../event-store/event-store.port';
import { type Checkpoint } from '../read-model/read-model.port';
import { type Lag } from './lag';
import { type Progress } from './progress';
import { type ProjectorLog } from './projector-log';

export type Watched = Readonly<{ lag: Lag; progress: Progress; clock: Clock; log: ProjectorLog }>;

/**
 * Our events after the position, without end. While the log refuses the subscription, reads lag behind it and show
 * nothing for certain: on a restored log, new events have positions that reads believe to have passed long ago.
 */
export async function* arriving(
  store: EventStore,
  { position: from, event: afterEvent }: Checkpoint,
  signal: AbortSignal,
  { lag, progress, clock, log }: Watched,
): AsyncGenerator<RecordedEvent> {
  const onCaughtUp = (isCertain: boolean): void => {
    // A node that is not the leader may lack events, and nothing can be written meanwhile.
    if (!isCertain) return;
    lag.caughtUp();
    progress.trust();
  };
  // Without it, nobody would notice an outage before the next call.
  const onLost = (): void => lag.lost(clock.now());
  const onPassed = (position: Position): void => {
    // An event of others proves the position as one of ours does, and millions of them may come before the end.
    progress.trust();
    progress.passOver(position, lag.pending);
  };
  const onRefused = (err: unknown): void => {
    lag.lost(clock.now());
    progress.refuse();
    log.warn({ err, position: String(from) }, 'the log refuses to be followed from here; was it restored?');
  };
  for await (const event of store.subscribe(from, { signal, afterEvent, onCaughtUp, onLost, onPassed, onRefused })) {
    lag.arrived(event);
    progress.trust();
    yield event;
  }
}
