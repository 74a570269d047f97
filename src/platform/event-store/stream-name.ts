import { type Category, categoryOfOrigin, type IdOf, type OriginId } from '../../kernel/aggregates';

/** `<category>-<id>`: categories are lower case with underscores, so the first dash ends the category. */
export const streamOf = (category: string, id: string): string => `${category}-${id}`;

/** The same for a known category: the id must be one of its own. */
export const streamName = <C extends Category>(category: C, id: IdOf<NoInfer<C>>): string => `${category}-${id}`;

/** The stream of what a connection came from. */
export const streamOfOrigin = (origin: OriginId): string => `${categoryOfOrigin(origin)}-${origin}`;

export function parseStreamName(stream: string): { category: string; id: string } {
  const dash = stream.indexOf('-');
  return { category: stream.slice(0, dash), id: stream.slice(dash + 1) };
}
