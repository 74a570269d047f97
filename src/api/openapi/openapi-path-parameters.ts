import { type OpenAPIObject } from '@nestjs/swagger';

type Parameter = Readonly<{ name?: string; in?: string }>;
type Operations = Record<string, { parameters?: Parameter[] }>;

/**
 * Every name in a path's braces is described once in each of its operations. The framework describes those whose type is a
 * class at run time; ids have types that only the compiler knows.
 */
export function addPathParameters({ paths }: OpenAPIObject): void {
  for (const [path, operations] of Object.entries(paths)) {
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);
    for (const operation of Object.values(operations as Operations)) {
      const others = (operation.parameters ?? []).filter(({ in: place }) => place !== 'path');
      const described = names.map((name) => ({ name, required: true, in: 'path', schema: { type: 'string' } }));
      operation.parameters = [...described, ...others];
    }
  }
}
