/**
 * The URL that a text spells, if any. Does not use URL.canParse: on Node 20, once optimized, it takes letters such as ü
 * for broken UTF-8 and rejects valid addresses.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
