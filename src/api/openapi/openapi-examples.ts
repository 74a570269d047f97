import { type OpenAPIObject } from '@nestjs/swagger';
import { type JsonSchema } from '../../http/input/checks';

type Operation = Readonly<{ requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> } }>;

/**
 * Gives every body an example that can be sent as it is, with the required fields only. Without one, pages and tools
 * make up values for every optional field too, including credentials.
 */
export function addExamples({ paths }: OpenAPIObject): void {
  for (const operations of Object.values(paths)) {
    for (const { requestBody } of Object.values(operations as Record<string, Operation>)) {
      const json = requestBody?.content['application/json'];
      if (json !== undefined) json.example ??= exampleOf(json.schema);
    }
  }
}

function exampleOf(schema: JsonSchema): unknown {
  const { example, const: only, enum: values, type, properties, required, items, minItems, anyOf } = schema;
  if (example !== undefined) return example;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema);
  switch (type) {
    case 'object': {
      const fields = properties as Readonly<Record<string, JsonSchema>> | undefined;
      return Object.fromEntries(
        ((required ?? []) as readonly string[]).map((name) => [name, exampleOf(fields?.[name] ?? {})]),
      );
    }
    case 'array':
      return minItems === 0 ? [] : [exampleOf(items as JsonSchema)];
    case 'integer':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return schema['format'] === 'date-time' ? '2030-01-31T12:00:00.000Z' : 'text';
  }
}
