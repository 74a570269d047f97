export type Swagger = typeof import('@nestjs/swagger');

/** Descriptions of routes and controllers that have been declared, but not yet given to @nestjs/swagger. */
const pending: ((swagger: Swagger) => void)[] = [];

/**
 * What only the OpenAPI document says about a route. It is worked out when the document is first requested: most
 * processes never are, and loading the package with all descriptions would be a tenth of a start.
 */
export function Described(describe: (swagger: Swagger) => readonly MethodDecorator[]): MethodDecorator {
  return (target, property, descriptor) => {
    pending.push((swagger) => {
      for (const decorate of describe(swagger)) decorate(target, property, descriptor);
    });
  };
}

/** The group of a controller's routes in the OpenAPI document. */
export function Tag(name: string): ClassDecorator {
  return (target) => void pending.push(({ ApiTags }) => ApiTags(name)(target));
}

/** The package, once it has every description declared so far. */
export async function swaggerWithDescriptions(): Promise<Swagger> {
  const swagger = await import('@nestjs/swagger');
  for (const describe of pending.splice(0)) describe(swagger);
  return swagger;
}
