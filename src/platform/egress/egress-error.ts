export type EgressErrorKind =
  /** The URL, its name or one of its addresses is not permitted; nothing was sent. */
  | 'destination_not_allowed'
  /** The name has no address, or no DNS server gave one in time; the cause is a DnsError. */
  | 'dns_failed'
  | 'connect_failed'
  /** The certificate or the handshake is not acceptable; no request was sent. */
  | 'tls_failed'
  /** The whole exchange took longer than allowed, whatever its stage. */
  | 'timeout'
  /** The peer ended the connection before its response was complete. */
  | 'reset'
  /** The response's header section is larger than any sensible one. */
  | 'response_too_large'
  /** The response is not HTTP/1.1 as we support it, or the request cannot be expressed in it. */
  | 'protocol_error'
  /** The caller's signal ended it. */
  | 'cancelled';

/** Why an outbound request has no response. The message never repeats the URL: its path may hold a secret. */
export class EgressError extends Error {
  /** Set if the status line had arrived when the exchange broke off. */
  readonly status: number | undefined;

  constructor(
    readonly kind: EgressErrorKind,
    message: string,
    parts: Readonly<{ cause?: unknown; status?: number | undefined }> = {},
  ) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'EgressError';
    this.status = parts.status;
  }
}

/** A connection kept from an earlier request broke before the peer sent anything in response to this one. */
export class StaleConnectionError extends EgressError {
  constructor(message: string, parts: Readonly<{ cause?: unknown }>) {
    super('reset', message, parts);
  }
}

/** The system's or Node's own code for what went wrong, such as ECONNRESET. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
