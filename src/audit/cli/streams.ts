import { parseStreamName } from '../../platform/event-store/stream-name';
import { asJson, inWords, presentable } from './present';
import { scan } from './scan';
import { EXIT, type ExitCode, type AuditCall, withLog } from './audit-call';
import { resolveStream } from './resolve-stream';

type Known = { events: number; first: string; last: string };

/** All streams, those of a category, or those with events since a given time. */
export function listStreams(
  call: AuditCall,
  { category, since }: Readonly<{ category?: string | undefined; since?: string | undefined }>,
): Promise<ExitCode> {
  return withLog(call, async (store) => {
    const streams = new Map<string, Known>();
    for await (const { stream, metadata } of scan(store, { label: 'reading the log' })) {
      if (category !== undefined && parseStreamName(stream).category !== category) continue;
      const { occurred_at: at } = metadata;
      const known = streams.get(stream);
      if (known === undefined) streams.set(stream, { events: 1, first: at, last: at });
      else Object.assign(known, { events: known.events + 1, last: at });
    }
    const after = since === undefined ? -Infinity : Date.parse(since);
    for (const [stream, { events, first, last }] of streams) {
      if (Date.parse(last) < after) continue;
      call.out(
        call.json
          ? asJson({ stream, events, first_at: first, last_at: last })
          : `${stream}  ${events} event(s)  ${first} to ${last}`,
      );
    }
    return EXIT.fine;
  });
}

export function showStream(call: AuditCall, name: string): Promise<ExitCode> {
  return withLog(call, async (store) => {
    const stream = await resolveStream(store, name);
    const events = await store.readStream(stream);
    if (events.length === 0) {
      call.note(`there is no stream ${stream}`);
      return EXIT.wrong;
    }
    if (!call.json) call.out(stream);
    for (const event of events) {
      for (const line of call.json ? [asJson(presentable(event))] : inWords(event)) call.out(line);
    }
    return EXIT.fine;
  });
}
