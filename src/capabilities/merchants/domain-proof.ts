import { type EgressPolicy } from '../../platform/egress/destination';
import { EgressError, type EgressErrorKind } from '../../platform/egress/egress-error';
import { guardedRequest } from '../../platform/egress/guarded-http';
import { DnsError, type Resolver } from '../../platform/egress/resolver';
import { recordName, recordValue } from './challenge';

export type ProofFailure =
  | 'record_not_found'
  | 'record_mismatch'
  | 'content_mismatch'
  | 'content_too_long'
  | 'unexpected_status'
  | EgressErrorKind;

/** `found` is what anyone would have seen there, shortened and made readable. */
export type Proof = Readonly<
  | { proven: true; location: string }
  | { proven: false; expected: string; found: readonly string[]; reason: ProofFailure }
>;

type Published = Readonly<{ domain: string; challenge: string }>;

const MAX_FOUND = 10;
const MAX_FOUND_LENGTH = 200;
const MAX_BODY_BYTES = 1024;

/** Any one of the TXT records at the challenge's name will do; there may be others. */
export async function proveByDns({ domain, challenge }: Published, resolver: Resolver): Promise<Proof> {
  const location = recordName(domain);
  const expected = recordValue(challenge);
  try {
    const records = await resolver.txt(location);
    if (records.some((record) => record.trim() === expected)) return { proven: true, location };
    return { proven: false, expected, found: readable(records), reason: 'record_mismatch' };
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return { proven: false, expected, found: [], reason: DNS_REASONS[error.kind] };
  }
}

const DNS_REASONS = {
  not_found: 'record_not_found',
  no_data: 'record_not_found',
  timeout: 'timeout',
  server_failed: 'dns_failed',
} as const;

export type HttpsProofParts = Readonly<{
  url: string;
  resolver: Resolver;
  policy: EgressPolicy;
  timeoutMs: number;
  ca?: string;
}>;

/** Redirects are not followed: the target would prove what someone else publishes. */
export async function proveByHttps({ challenge }: Published, parts: HttpsProofParts): Promise<Proof> {
  const failed = (reason: ProofFailure, ...found: string[]): Proof => ({
    proven: false,
    expected: challenge,
    found: readable(found),
    reason,
  });
  try {
    const { status, body, truncated } = await guardedRequest({
      ...parts,
      method: 'GET',
      headers: { accept: 'text/plain', 'user-agent': 'svc-domain-verification' },
      maxResponseBytes: MAX_BODY_BYTES,
    });
    if (status !== 200) return failed('unexpected_status', `HTTP ${status}`);
    const content = body.toString('utf8').trim();
    if (truncated) return failed('content_too_long', content);
    return content === challenge ? { proven: true, location: parts.url } : failed('content_mismatch', content);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return failed(error.kind);
  }
}

const readable = (texts: readonly string[]): string[] =>
  texts.slice(0, MAX_FOUND).map((text) =>
    [...text.toWellFormed()]
      .slice(0, MAX_FOUND_LENGTH)
      .join('')
      .replace(/\s/g, ' ')
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD'),
  );
