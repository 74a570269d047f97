import { Injectable } from '@nestjs/common';

type Route = Readonly<{ pattern: RegExp; isLiteral: boolean; methods: readonly string[] }>;

/** Paths outside the API, such as those of pages, which support no method but GET. */
export const onlyRead = (paths: readonly string[]): Readonly<Record<string, object>> =>
  Object.fromEntries(paths.map((path) => [path, { get: true }]));

/** Which methods a path supports, so that a wrong method can be told apart from a wrong path. */
@Injectable()
export class RouteTable {
  private source: () => Readonly<Record<string, object>> = () => ({});
  private known: readonly Route[] | undefined;

  /** Called lazily, at the first lookup. */
  load(paths: () => Readonly<Record<string, object>>): void {
    this.source = paths;
    this.known = undefined;
  }

  private get routes(): readonly Route[] {
    this.known ??= Object.entries(this.source()).map(([path, operations]) => {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      return {
        isLiteral: !path.includes('{'),
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
        methods: methods.includes('GET') ? [...methods, 'HEAD'] : methods,
      };
    });
    return this.known;
  }

  methodsAt(path: string): readonly string[] {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path));
    // A literal path is not also an id of its parameterized sibling.
    const literal = matching.filter(({ isLiteral }) => isLiteral);
    return [...new Set((literal.length > 0 ? literal : matching).flatMap(({ methods }) => methods))];
  }
}
