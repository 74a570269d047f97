import { pause } from '../../kernel/pause';

/** How two parts of one process hear of what reads show; parts that share no process look for themselves. */
export type ShownNews = Readonly<{
  tell(): void;
  /** Resolves at the next news, or when so much time has passed. */
  heard(ms: number, signal: AbortSignal): Promise<void>;
}>;

export const noNews: ShownNews = { tell: () => undefined, heard: pause };
