import { crc32 } from 'node:zlib';
import { type Document } from '../projection';
import { type Position } from '../../event-store/event-store.port';
import { type Stored } from '../read-model.port';

/**
 * A stored document is the JSON text `["<position>",<document>]` after its checksum in eight hex digits. JSON preserves
 * key order, every number and keys such as `__proto__`; the position comes first so that the guard need not parse the
 * document. A disk may return other bytes than were written, unnoticed by LMDB. Older texts have no checksum.
 */
export function encodeStored(document: Document, position: Position): string {
  const text = `["${position}",${JSON.stringify(document)}]`;
  return `${checksumOf(text)}${text}`;
}

export const decodeDocument = (stored: string): Document => (JSON.parse(checked(stored)) as [string, Document])[1];

/** The size of the document alone: the position before it has as many digits as the event store gives it. */
export const documentBytesIn = (stored: string): number =>
  Buffer.byteLength(stored) - stored.indexOf(',') - ',]'.length;

export function decodeStored(stored: string): Stored {
  const [position, document] = JSON.parse(checked(stored)) as [string, Document];
  return { document, position: BigInt(position) };
}

/** For what is stored beside the documents, such as the checkpoint: checksum, `=`, text. Old ones are text only. */
export const encodeNote = (text: string): string => `${checksumOf(`=${text}`)}=${text}`;

export const decodeNote = (note: string): string => (NOTE.test(note) ? checked(note).slice(1) : note);

const NOTE = /^[0-9a-f]{8}=/;
const DIGITS = 8;

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(DIGITS, '0');

function checked(stored: string): string {
  if (stored.startsWith('[')) return stored;
  const text = stored.slice(DIGITS);
  if (checksumOf(text) !== stored.slice(0, DIGITS)) throw new SyntaxError('a document is not what was stored');
  return text;
}
