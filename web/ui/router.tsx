import { useSyncExternalStore } from 'react';

/** A location within the application: the part after `#`, split into path and query. */
export type Place = Readonly<{ path: string; query: URLSearchParams }>;

/** `/payments/:id` gives `{ id: string }`. */
type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & ParamsOf<`/${Rest}`>
  : Pattern extends `${string}:${infer Name}`
    ? Readonly<Record<Name, string>>
    : Readonly<Record<never, string>>;

const read = (): string => window.location.hash;

function listen(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  window.addEventListener('popstate', changed);
  return () => {
    window.removeEventListener('hashchange', changed);
    window.removeEventListener('popstate', changed);
  };
}

function placeIn(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  return { path: path.startsWith('/') ? path : `/${path}`, query: new URLSearchParams(query) };
}

export const currentPlace = (): Place => placeIn(read());

export function usePlace(): Place {
  return placeIn(useSyncExternalStore(listen, read));
}

export const hrefOf = (to: string): string => `#${to}`;

export function goTo(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') window.location.hash = to;
  else window.history.replaceState(null, '', hrefOf(to));
  // replaceState fires no event.
  if (how === 'replace') window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The parameters if the path matches the pattern; a segment that cannot be decoded matches nothing. */
export function matchPath<Pattern extends string>(pattern: Pattern, path: string): ParamsOf<Pattern> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = decoded(given[at] ?? '');
    if (value === undefined || value === '') {
      if (part !== '' || given[at] !== '') return undefined;
    } else if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params as ParamsOf<Pattern>;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The path with this query; empty values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

export type Route = Readonly<{
  pattern: string;
  render: (params: Readonly<Record<string, string>>) => React.ReactNode;
}>;

export const route = <Pattern extends string>(
  pattern: Pattern,
  render: (params: ParamsOf<Pattern>) => React.ReactNode,
): Route => ({ pattern, render: render as Route['render'] });

/** Renders the first matching route. A route may contain further routes. */
export function Routes({ routes, otherwise }: Readonly<{ routes: readonly Route[]; otherwise: React.ReactNode }>) {
  const { path } = usePlace();
  for (const { pattern, render } of routes) {
    const params = matchPath(pattern, path);
    if (params !== undefined) return <>{render(params)}</>;
  }
  return <>{otherwise}</>;
}
