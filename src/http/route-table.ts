import { Injectable } from '@nestjs/common';

type Route = Readonly<{ pattern: RegExp; methods: readonly string[] }>;

/** Which methods a path knows, so that a wrong one is told apart from a wrong path. Filled from the OpenAPI document. */
@Injectable()
export class RouteTable {
  private routes: readonly Route[] = [];

  load(paths: Readonly<Record<string, object>>): void {
    this.routes = Object.entries(paths).map(([path, operations]) => {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      return {
        pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
        methods: methods.includes('GET') ? [...methods, 'HEAD'] : methods,
      };
    });
  }

  methodsAt(path: string): readonly string[] {
    return [...new Set(this.routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
  }
}
