/**
 * The URL a text spells, if it spells one. Not by URL.canParse: on Node 20 that one, once it has become hot, takes letters
 * such as ü for broken UTF-8 and refuses good addresses.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
