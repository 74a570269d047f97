/** What stands where the host does. */
const HOST = /^[\0-\x20]*[a-z][a-z0-9+.-]*:[/\\]*(?:[^/\\?#]*@)?([^/\\?#@]*)/i;
/** A name has 253 characters at most; a port, a dot at the end or brackets may be added. */
const MAX_HOST_LENGTH = 300;

/**
 * The URL that a text spells, if any. Does not use URL.canParse: on Node 20, once optimized, it takes letters such as ü
 * for broken UTF-8 and rejects valid addresses. A host that is far too long is none: the time it takes to write one in
 * ASCII grows with the square of its length.
 */
export function parsedUrl(text: string): URL | undefined {
  if ((HOST.exec(text)?.[1]?.length ?? 0) > MAX_HOST_LENGTH) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Without user, query or fragment. It is used as it is spelled: paths are put behind it, so an empty query counts as one,
 * and whether it is https is read from its beginning, so `HTTPS:` or `https:host` will not do.
 */
export function plainUrl(value: string): URL | undefined {
  const parsed = parsedUrl(value);
  const isPlain = parsed && /^https?:\/\/[^/]/.test(value) && !parsed.username && !parsed.password;
  return isPlain && !/[?#\s\\]/.test(value) ? parsed : undefined;
}
