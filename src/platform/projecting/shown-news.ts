import { pause } from '../../kernel/pause';

/** How two parts of one process learn what reads show; separate processes poll instead. */
export type ShownNews = Readonly<{
  notify(): void;
  /** Resolves at the next notification, after `ms`, or on abort. */
  nextNotification(ms: number, signal: AbortSignal): Promise<void>;
}>;

export const noNews: ShownNews = { notify: () => undefined, nextNotification: pause };
