import { entry, FIX } from './error-entry';

/** The part of the catalogue that any HTTP service has: it is about the call, not about payments. */
export const protocolErrors = {
  malformed_request: entry(400, 'The request is not well-formed HTTP.', 'Send HTTP/1.1 with valid headers.', FIX),
  method_not_allowed: entry(
    405,
    'The path exists but does not support this method.',
    'Use a method from the Allow header.',
    FIX,
  ),
  request_timeout: entry(
    408,
    'The request did not arrive in time.',
    'Send headers within 10 s, the body within 30 s.',
    'later',
  ),
  payload_too_large: entry(413, 'The body is larger than 64 KiB.', 'Send less, and keep large data on your side.', FIX),
  uri_too_long: entry(
    414,
    'The URL is longer than 8 KiB.',
    'Send less in the query; lists are paged with limit and cursor.',
    FIX,
  ),
  unsupported_media_type: entry(
    415,
    'The body is not plain application/json in UTF-8.',
    'Send application/json without Content-Encoding.',
    FIX,
  ),
  rate_limited: entry(
    429,
    'Too many calls.',
    'Wait Retry-After seconds, then repeat; RateLimit-* show what is left.',
    'later',
  ),
  headers_too_large: entry(431, 'The headers are larger than 16 KiB.', 'Send fewer or shorter headers.', FIX),
  internal_error: entry(
    500,
    'Something failed on our side.',
    'Repeat with the same idempotency key; the request id identifies it in our log.',
    'later',
  ),
  overloaded: entry(
    503,
    'Too many answers are waiting for callers that do not read them.',
    'Repeat with the same idempotency key after Retry-After seconds, and read every answer.',
    'later',
  ),
  store_unavailable: entry(
    503,
    'A store did not answer in time.',
    'Repeat with the same idempotency key after Retry-After seconds.',
    'later',
  ),
} as const;
