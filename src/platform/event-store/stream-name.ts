/** `<category>-<id>`: categories are lower case with underscores, so the first dash ends the category. */
export const streamName = (category: string, id: string): string => `${category}-${id}`;

export function parseStreamName(stream: string): { category: string; id: string } {
  const dash = stream.indexOf('-');
  return { category: stream.slice(0, dash), id: stream.slice(dash + 1) };
}
