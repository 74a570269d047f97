import { type OpenAPIObject } from '@nestjs/swagger';

type Parameter = Readonly<{ name?: string; in?: string }>;
type Operations = Record<string, { parameters?: Parameter[] }>;

/**
 * Describes every path parameter once in each operation. The framework only describes parameters whose type is a class
 * at run time; the types of ids exist only at compile time.
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
