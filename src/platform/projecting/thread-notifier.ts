import { type Thread } from '../threads/thread-link';
import { type ReadModelNotifier } from './read-model-notifier';

/** Each notification makes the other thread check its sources, and under load there are hundreds per second. */
const NOTIFY_INTERVAL_MS = 10;

/** The thread that writes the read model notifies the other, the first time at once; undefined in a single thread. */
export function threadNotifier(thread: Thread): ReadModelNotifier | undefined {
  if (thread.side === 'only') return undefined;
  const { link } = thread;
  const waiting = new Set<() => void>();
  link.onNotified('shown', () => {
    for (const wake of [...waiting]) wake();
  });
  let cooldown: NodeJS.Timeout | undefined;
  let isPending = false;
  const notify = (): void => {
    isPending = cooldown !== undefined;
    if (isPending) return;
    link.notify('shown');
    cooldown = setTimeout(() => {
      cooldown = undefined;
      if (isPending) notify();
    }, NOTIFY_INTERVAL_MS).unref();
  };
  return {
    notify: () => thread.side === 'front' && notify(),
    nextNotification: (ms, signal) =>
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
