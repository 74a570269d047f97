import { runInChild } from '../../threads/in-child';
import { StoreCorrupt } from './errors';
import { type LogCheck, verifyLog } from './verify-log';

/** Rejects with StoreCorrupt unless the whole log is as it was written. */
export async function verifyInChild(file: string, access: 'write' | 'read'): Promise<void> {
  const { answer, complaint, signal, hasCrashed } = await runInChild(verifyLog, [
    require.resolve('lmdb'),
    file,
    access,
  ]);
  if (hasCrashed) throw new StoreCorrupt(file, `it cannot be read (the check ended with ${signal})`);
  const verdict = answer as LogCheck | undefined;
  if (verdict?.corrupt !== undefined) throw new StoreCorrupt(file, verdict.corrupt);
  if (verdict?.events === undefined) {
    throw new Error(`${file}: could not be checked: ${verdict?.failed ?? signal ?? complaint}`);
  }
}
