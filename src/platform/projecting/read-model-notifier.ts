import { pause } from '../../kernel/pause';

/** How two parts of one process learn what reads show; separate processes poll instead. */
export type ReadModelNotifier = Readonly<{
  notify(): void;
  /** Resolves at the next notification, after `ms`, or on abort. */
  nextNotification(ms: number, signal: AbortSignal): Promise<void>;
}>;

export const noNotifier: ReadModelNotifier = { notify: () => undefined, nextNotification: pause };
