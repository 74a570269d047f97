import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';

export type StreamedEvent = Readonly<{ id: string; data: Record<string, any> }>;

export type EventStreamReader = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  /** The events received so far. */
  events: readonly StreamedEvent[];
  /** The data of each message of this type: messages that are not feed events have a type. */
  typed(type: string): readonly Record<string, any>[];
  text(): string;
  until(condition: () => boolean): Promise<void>;
  /** Resolves when the other side ends the stream. */
  ended: Promise<void>;
  /** Disconnects. */
  close(): void;
}>;

/** Opens a server-sent event stream and reads it as it arrives. */
export function openEventStream(url: string, headers: Readonly<Record<string, string>>): Promise<EventStreamReader> {
  return new Promise((resolve, reject) => {
    const call: ClientRequest = request(url, { headers: { accept: 'text/event-stream', ...headers } });
    call.on('error', reject);
    call.on('response', (response) => {
      let text = '';
      const events: StreamedEvent[] = [];
      const waiting = new Set<() => void>();
      let done = false;
      const ended = new Promise<void>((end) =>
        response.once('close', () => {
          done = true;
          waiting.forEach((check) => check());
          end();
        }),
      );
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const messages = parse(text);
        events.splice(0, events.length, ...messages.filter(({ type }) => type === 'message'));
        waiting.forEach((check) => check());
      });
      const until = (condition: () => boolean): Promise<void> =>
        new Promise((met, failed) => {
          const check = (): void => {
            if (condition()) met();
            else if (done) failed(new Error(`the stream ended before: ${text}`));
          };
          waiting.add(check);
          check();
        });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        typed: (type) => parse(text).flatMap((message) => (message.type === type ? [message.data] : [])),
        text: () => text,
        until,
        ended,
        close: () => void response.destroy(),
      });
    });
    call.end();
  });
}

const parse = (text: string): (StreamedEvent & Readonly<{ type: string }>)[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => {
      const [, id = ''] = /^id: ?(.*)$/m.exec(block) ?? [];
      const [, type = 'message'] = /^event: ?(.*)$/m.exec(block) ?? [];
      const [, data] = /^data: ?(.*)$/m.exec(block) ?? [];
      return data === undefined ? [] : [{ id, type, data: JSON.parse(data) as Record<string, any> }];
    });
