import { BSON } from 'mongodb';

/** A received command, with the documents of its separate sections merged in. */
export type Command = Readonly<{ id: number; name: string; body: Readonly<Record<string, unknown>>; isQuery: boolean }>;

const HEADER = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/** Splits a byte stream into messages; an incomplete one waits for more bytes. */
export class Frames {
  private rest: Buffer = Buffer.alloc(0);

  take(bytes: Buffer): Buffer[] {
    this.rest = Buffer.concat([this.rest, bytes]);
    const frames: Buffer[] = [];
    while (this.rest.length >= HEADER && this.rest.length >= this.rest.readInt32LE(0)) {
      const length = this.rest.readInt32LE(0);
      frames.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
    return frames;
  }
}

export function commandIn(frame: Buffer, options: BSON.DeserializeOptions = {}): Command {
  const id = frame.readInt32LE(4);
  const isQuery = frame.readInt32LE(12) === OP_QUERY;
  const body = isQuery ? queryIn(frame) : messageIn(frame, options);
  return { id, name: Object.keys(body)[0] ?? '', body, isQuery };
}

/** A driver's first handshake uses the legacy format of the oldest servers. */
function queryIn(frame: Buffer): Record<string, unknown> {
  const afterName = frame.indexOf(0, HEADER + 4) + 1;
  return BSON.deserialize(frame.subarray(afterName + 8));
}

function messageIn(frame: Buffer, options: BSON.DeserializeOptions): Record<string, unknown> {
  let body: Record<string, unknown> = {};
  for (let at = HEADER + 4; at < frame.length;) {
    const kind = frame[at];
    const size = frame.readInt32LE(at + 1);
    const section = frame.subarray(at + 1, at + 1 + size);
    if (kind === 0) body = { ...BSON.deserialize(section, options), ...body };
    else {
      const afterName = section.indexOf(0, 4) + 1;
      const documents: unknown[] = [];
      for (let from = afterName; from < section.length; from += section.readInt32LE(from))
        documents.push(BSON.deserialize(section.subarray(from, from + section.readInt32LE(from)), options));
      body[section.toString('utf8', 4, afterName - 1)] = documents;
    }
    at += 1 + size;
  }
  return body;
}

export function answerTo({ id, isQuery }: Command, document: object): Buffer {
  const body = BSON.serialize(document);
  const head = Buffer.alloc(isQuery ? HEADER + 20 : HEADER + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  if (isQuery) head.writeInt32LE(1, HEADER + 16);
  return Buffer.concat([head, body]);
}

const GREETINGS: readonly string[] = ['hello', 'ismaster', 'isMaster'];
export const isGreeting = ({ name }: Command): boolean => GREETINGS.includes(name);

/** A server's handshake response. Without sessions: the tests' stand-in has none. */
export const greeting = (facts: object = {}): object => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  ok: 1,
  ...facts,
});
