import { type Thread } from '../threads/thread-link';
import { type ShownNews } from './shown-news';

/** Each notification makes the other thread check log, read model and senders; under load hundreds come per second. */
const TELL_EVERY_MS = 10;

/** The thread that writes the read model notifies the other, the first time at once; undefined in a single thread. */
export function shownNews(thread: Thread): ShownNews | undefined {
  if (thread.side === 'only') return undefined;
  const { link } = thread;
  const waiting = new Set<() => void>();
  link.onTold('shown', () => {
    for (const wake of [...waiting]) wake();
  });
  let resting: NodeJS.Timeout | undefined;
  let isOwed = false;
  const tell = (): void => {
    isOwed = resting !== undefined;
    if (isOwed) return;
    link.tell('shown');
    resting = setTimeout(() => {
      resting = undefined;
      if (isOwed) tell();
    }, TELL_EVERY_MS).unref();
  };
  return {
    tell: () => thread.side === 'front' && tell(),
    heard: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted) wake();
      }),
  };
}
