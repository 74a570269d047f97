import { isPassing, SvcConnectionError, SvcCursorError, SvcError } from './errors.ts';
import { pause } from './pause.ts';

/** One message of a feed; `cursor` is where to continue after it. */
export type StreamedEvent<T> = Readonly<{ cursor: number; type: string; data: T }>;

export type StreamOptions = Readonly<{
  /** The last cursor seen; 0 for the beginning. */
  since?: number;
  signal?: AbortSignal;
  /** Called whenever the service sent anything, including heartbeats between events. */
  onHeard?: () => void;
  /** Called for each interruption after which following continues. */
  onInterruption?: (error: unknown) => void;
}>;

/** Opens the stream after a cursor; the response body is read here. */
export type OpenStream = (since: number, signal: AbortSignal) => Promise<Response>;

type Part = Readonly<{ id: string | undefined; type: string; data: string }>;

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The service sends something every 15 seconds: after this long without anything, the connection is dead. */
const IDLE_TIMEOUT_MS = 40_000;

/**
 * Every event after `since`, as it arrives, over as many connections as it takes; ends on a refusal or the signal. A
 * `since` beyond the newest event ends it with SvcCursorError, once the service has said so twice: while rebuilding its
 * views it may briefly know less.
 */
export async function* followStream<T>(
  open: OpenStream,
  options: StreamOptions = {},
): AsyncGenerator<StreamedEvent<T>> {
  const { signal, onInterruption } = options;
  let since = options.since ?? 0;
  let failures = 0;
  let isBeyond = false;
  while (!signal?.aborted) {
    try {
      for await (const part of oneConnection(open, since, options)) {
        failures = 0;
        if (part === undefined) continue;
        if (part.type === 'opened') {
          const { newest_cursor: newest } = JSON.parse(part.data) as Readonly<{ newest_cursor: number }>;
          if (isBeyond && newest < since) throw new SvcCursorError(since, newest);
          isBeyond = newest < since;
          if (isBeyond) break;
          continue;
        }
        const cursor = Number(part.id ?? Number.NaN);
        if (!Number.isSafeInteger(cursor) || cursor <= since) continue;
        const data = JSON.parse(part.data) as T & Readonly<{ type?: string }>;
        yield { cursor, type: data.type ?? part.type, data };
        since = cursor;
      }
      // The service closes streams cleanly when it stops: reconnect.
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error) && !(error instanceof TypeError) && !isAbort(error)) throw error;
      onInterruption?.(error);
    }
    await pause(pauseAfter(failures), signal);
    failures += 1;
  }
}

const pauseAfter = (failures: number): number => Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures, 10));

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Undefined stands for a heartbeat. */
async function* oneConnection(
  open: OpenStream,
  since: number,
  { signal, onHeard }: StreamOptions,
): AsyncGenerator<Part | undefined> {
  const ended = new AbortController();
  const giveUp = (): void => ended.abort();
  signal?.addEventListener('abort', giveUp, { once: true });
  let silence = setTimeout(giveUp, IDLE_TIMEOUT_MS);
  try {
    const response = await open(since, ended.signal);
    if (response.body === null) throw new SvcConnectionError('the stream has no body', undefined);
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(giveUp, IDLE_TIMEOUT_MS);
      onHeard?.();
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      yield undefined;
      for (const block of blocks) {
        const part = partIn(block);
        if (part !== undefined) yield part;
      }
    }
  } catch (error) {
    if (error instanceof SvcError || error instanceof SvcConnectionError) throw error;
    throw new SvcConnectionError('the stream broke off', error);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', giveUp);
    ended.abort();
  }
}

/** One message; undefined for a comment or a setting. */
function partIn(block: string): Part | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data' && fields['data'] !== undefined) fields['data'] += `\n${value}`;
    else fields[name] = value;
  }
  const { id, data, event = 'message' } = fields;
  return data === undefined ? undefined : { id, data, type: event };
}
