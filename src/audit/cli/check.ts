import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  checkConsistency,
  checkProof,
  type CheckOptions,
  type ConsistencyProof,
  ExportCheck,
  type PaymentProof,
  proofInText,
  type Verdict,
} from '../proofs';
import { asJson } from './present';
import { EXIT, type ExitCode, type AuditCall, UsageError } from './audit-call';

const NEWLINE = 0x0a;
const MAX_PROOF_BYTES = 32 * 1024 * 1024;

/** Verifies an exported file or a saved response, without access to any service. */
export async function checkFile(call: AuditCall, file: string, options: CheckOptions): Promise<ExitCode> {
  const verdict = await verdictOn(file, options);
  const vouched = options.trustedKeys !== undefined;
  if (call.json) call.out(asJson({ ...verdict, key: vouched ? 'trusted' : 'unvouched' }));
  else for (const line of inWords(file, verdict, options)) call.out(line);
  if (!verdict.ok) return EXIT.wrong;
  return options.trustedKeys === undefined ? EXIT.unvouched : EXIT.fine;
}

/** A proof is a single JSON value; anything else is checked as an export, line by line, whatever its size. */
export async function verdictOn(file: string, options: CheckOptions): Promise<Verdict> {
  const proof = statSync(file, { throwIfNoEntry: false })?.isFile() ? await proofIn(file) : undefined;
  if (proof?.format === 'svc.proof.v1') return checkProof(proof, options);
  if (proof?.format === 'svc.consistency.v1') return checkConsistency(proof, options);
  try {
    return await verdictOnExport(createReadStream(file), options);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

export async function verdictOnExport(bytes: AsyncIterable<Buffer>, options: CheckOptions): Promise<Verdict> {
  const check = new ExportCheck(options);
  for await (const { line, ended } of linesOf(bytes)) check.line(ended ? line : `${line} (cut off)`);
  return check.end();
}

/** Split only at line feeds: every other byte is part of what is checked. Each byte is copied once, however long a line is. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Readonly<{ line: string; ended: boolean }>> {
  let pieces: Buffer[] = [];
  for await (const chunk of bytes) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      yield { line: exact(Buffer.concat([...pieces, chunk.subarray(begin, end)])), ended: true };
      pieces = [];
      begin = end + 1;
    }
    if (begin < chunk.length) pieces.push(chunk.subarray(begin));
  }
  if (pieces.length > 0) yield { line: exact(Buffer.concat(pieces)), ended: false };
}

/** Invalid UTF-8 would be decoded as U+FFFD, a character that the export may really contain. */
function exact(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : `${bytes.toString('utf8')} (not UTF-8)`;
}

async function proofIn(file: string): Promise<PaymentProof | ConsistencyProof | undefined> {
  if (statSync(file).size > MAX_PROOF_BYTES) return undefined;
  const bytes = await readFile(file).catch(() => undefined);
  // A text without a proof is then checked as an export, and fails there.
  return bytes !== undefined && isUtf8(bytes) ? proofInText(bytes.toString('utf8')) : undefined;
}

const HOLDS_UNDER_UNKNOWN_KEY =
  'it holds under the key that came with it, BUT NOBODY HAS VOUCHED FOR THAT KEY: pass the published one with --key';

function* inWords(
  file: string,
  { ok, proven, notProven, problems }: Verdict,
  { trustedKeys }: CheckOptions,
): Generator<string> {
  const holds = trustedKeys === undefined ? HOLDS_UNDER_UNKNOWN_KEY : 'it holds';
  yield `${file}: ${ok ? holds : 'IT DOES NOT HOLD'}`;
  for (const problem of problems) yield `  wrong: ${problem}`;
  for (const words of proven) yield `  proven: ${words}`;
  for (const words of notProven) yield `  not proven: ${words}`;
}
