import { pause } from '../../kernel/pause';

/** How two parts of one process learn what reads show; separate processes poll instead. */
export type ShownNews = Readonly<{
  tell(): void;
  /** Resolves at the next notification, after `ms`, or on abort. */
  heard(ms: number, signal: AbortSignal): Promise<void>;
}>;

export const noNews: ShownNews = { tell: () => undefined, heard: pause };
