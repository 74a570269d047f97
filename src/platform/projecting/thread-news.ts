import { type Thread } from '../threads/thread-link';
import { type ShownNews } from './shown-news';

/** Each piece of news makes the other thread look at the log, the read model and its senders; a busy service has hundreds in a second. */
const TELL_EVERY_MS = 10;

/** The thread that writes the read model tells the other, the first time at once; undefined where there is only one. */
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
