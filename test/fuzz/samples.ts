import { type Random } from '../support/seeded';
import { type Schema } from './document';
import { naughtyStrings, naughtyValue } from './naughty';

/** A value that the schema roughly allows: its examples if it has any, otherwise boundary values. */
export function sample(schema: Schema, random: Random, depth = 0): unknown {
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[]);
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices !== undefined) return sample(random.pick(choices), random, depth);
  switch (Array.isArray(schema['type']) ? random.pick(schema['type'] as string[]) : schema['type']) {
    case 'object':
      return sampleObject(schema, random, depth);
    case 'array':
      return Array.from({ length: random.below(3) + Number(schema['minItems'] ?? 0) }, () =>
        sample((schema['items'] ?? {}) as Schema, random, depth + 1),
      );
    case 'integer':
    case 'number':
      return random.pick([schema['minimum'] ?? 0, schema['maximum'] ?? 1e9, 1, 2]);
    case 'boolean':
      return random.below(2) === 0;
    case 'null':
      return null;
    default:
      return sampleString(schema, random);
  }
}

function sampleObject(schema: Schema, random: Random, depth: number): Record<string, unknown> {
  const needed = new Set((schema['required'] ?? []) as string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const chosen = properties.filter(([name]) => needed.has(name) || random.below(3) === 0);
  const free = schema['additionalProperties'] === true && depth < 4 ? { note: random.pick(naughtyStrings) } : {};
  return { ...free, ...Object.fromEntries(chosen.map(([name, of]) => [name, sample(of, random, depth + 1)])) };
}

function sampleString(schema: Schema, random: Random): string {
  if (typeof schema['example'] === 'string' && random.below(4) > 0) return schema['example'];
  if (schema['format'] === 'date-time') {
    return random.pick(['2030-01-31T12:00:00.000Z', '2024-02-30T00:00:00Z', '9999-12-31T23:59:59+23:59', 'now']);
  }
  const [shortest, longest] = [Number(schema['minLength'] ?? 0), Math.min(Number(schema['maxLength'] ?? 20), 3_000)];
  return 'a'.repeat(random.pick([shortest, longest, Math.min(longest, shortest + 5)]));
}

/** The same value with some parts replaced by ones that do not belong there. */
export function spoil(value: unknown, random: Random): unknown {
  if (random.below(8) === 0) return naughtyValue(random);
  if (Array.isArray(value)) return value.map((entry) => spoil(entry, random));
  if (typeof value !== 'object' || value === null) return random.below(4) === 0 ? naughtyValue(random) : value;
  const entries = Object.entries(value as Record<string, unknown>).map(([name, entry]): [string, unknown] => [
    random.below(20) === 0 ? random.pick(naughtyStrings) : name,
    spoil(entry, random),
  ]);
  return Object.fromEntries(entries);
}
