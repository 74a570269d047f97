import { type Thread } from '../threads/thread-link';
import { type ShownNews } from './shown-news';

/** The thread that writes the read model tells the other; undefined where there is only one. */
export function shownNews(thread: Thread): ShownNews | undefined {
  if (thread.side === 'only') return undefined;
  const { link } = thread;
  const waiting = new Set<() => void>();
  link.onTold('shown', () => {
    for (const wake of [...waiting]) wake();
  });
  return {
    tell: () => thread.side === 'front' && link.tell('shown'),
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
