import { type OpenAPIObject } from '@nestjs/swagger';
import { type JsonSchema } from '../../http/input/checks';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The title of a named schema. In a map of properties, `title` is a schema and not a string. */
const nameOf = (value: Json): string | undefined =>
  typeof value['title'] === 'string' && !('in' in value) && !('version' in value) ? value['title'] : undefined;

/**
 * Moves every named schema into the components and replaces it by a reference, in responses and in webhooks, so that
 * generated clients have a type called PaymentRequest. The document still describes the same API.
 */
export function addComponents(document: OpenAPIObject & Readonly<{ webhooks?: unknown }>): void {
  const places: Json = { paths: document.paths, webhooks: document.webhooks };
  const names = new Map<string, string>();
  collect(places, names);
  const schemas: Record<string, JsonSchema> = {};
  const replaced = replace(places, names, schemas) as Readonly<{ paths: OpenAPIObject['paths']; webhooks: unknown }>;
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...sorted } };
  Object.assign(document, replaced);
}

/** A schema as text without titles, so that it is also recognised where it appears untitled. */
const textOf = (schema: unknown): string =>
  JSON.stringify(schema, (key: string, value: unknown) =>
    key === 'title' && typeof value === 'string' ? undefined : value,
  );

function collect(value: unknown, names: Map<string, string>): void {
  if (Array.isArray(value)) return value.forEach((one) => collect(one, names));
  if (!isObject(value)) return;
  const name = nameOf(value);
  if (name !== undefined) {
    const text = textOf(value);
    const other = names.get(text) ?? name;
    if (other !== name) throw new Error(`the same schema is called ${other} and ${name}`);
    if ([...names].some(([known, called]) => called === name && known !== text)) {
      throw new Error(`two different schemas are called ${name}`);
    }
    names.set(text, name);
  }
  Object.values(value).forEach((one) => collect(one, names));
}

function replace(value: unknown, names: ReadonlyMap<string, string>, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((one) => replace(one, names, schemas));
  if (!isObject(value)) return value;
  const name = 'type' in value || 'oneOf' in value ? names.get(textOf(value)) : undefined;
  if (name === undefined) return inside(value, names, schemas);
  if (schemas[name] === undefined) {
    const { title: _, ...schema } = value;
    schemas[name] = {};
    schemas[name] = inside(schema, names, schemas);
  }
  return { $ref: `#/components/schemas/${name}` };
}

const inside = (value: Json, names: ReadonlyMap<string, string>, schemas: Record<string, JsonSchema>): JsonSchema =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one, names, schemas)]));
