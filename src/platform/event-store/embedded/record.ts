import { crc32 } from 'node:zlib';
import { type NewEvent } from '../event-store.port';

// This layout must never change, because logs on disk use it: four bytes of CRC-32, big-endian, over the UTF-8 JSON
// that follows. The JSON begins with stream and version, in that order, so that a check of the whole log need not parse
// the rest.
export type StoredEvent = NewEvent & Readonly<{ stream: string; version: number }>;

const CHECKSUM_BYTES = 4;

export function encodeRecord(stream: string, version: number, { type, data, metadata }: NewEvent): Buffer {
  const json = JSON.stringify({ stream, version, type, data, metadata });
  const record = Buffer.allocUnsafe(CHECKSUM_BYTES + Buffer.byteLength(json));
  record.write(json, CHECKSUM_BYTES);
  record.writeUInt32BE(crc32(record.subarray(CHECKSUM_BYTES)));
  return record;
}

/** Undefined if the record is not what was written. */
export function decodeRecord(record: Buffer): StoredEvent | undefined {
  if (record.length < CHECKSUM_BYTES) return undefined;
  if (record.readUInt32BE() !== crc32(record.subarray(CHECKSUM_BYTES))) return undefined;
  return JSON.parse(record.toString('utf8', CHECKSUM_BYTES)) as StoredEvent;
}
