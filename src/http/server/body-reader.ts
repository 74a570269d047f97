import { type IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../../kernel/errors';
import { parseJsonBody } from '../input/json-body';

export const MAX_BODY_BYTES = 64 * 1024;
const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Whether there is a body to read. */
export const hasBody = ({ headers, method = 'GET' }: IncomingMessage): boolean =>
  !BODYLESS.has(method) && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/** Reads a request's body under the service's rules: JSON only, small, uncompressed. */
export async function readBody(request: IncomingMessage & { bodyBytes?: number }): Promise<Record<string, unknown>> {
  if (!hasBody(request)) return {};
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();

  const bytes = await collect(request);
  request.bodyBytes = bytes.length;
  if (bytes.length === 0) return {};
  if (!isPlainJson(headers['content-type']) || headers['content-encoding'] !== undefined) {
    throw refuse('unsupported_media_type', { message: 'Send the body as application/json in UTF-8, not compressed.' });
  }
  return parseJsonBody(bytes);
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (finish: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      finish();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) done(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const onEnd = (): void => done(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // The peer disconnected mid-body; nobody is left to read the response.
    const onBroken = (): void =>
      done(() =>
        reject(
          refuse('invalid_json', { message: 'The body ended early. Send all of it, with the correct Content-Length.' }),
        ),
      );
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** The rest of an oversized body is not read: the connection is closed with the response. */
const tooLarge = (): Refusal => refuse('payload_too_large', { headers: { Connection: 'close' } });

function isPlainJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType.trim());
}
