import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from './support/http';
import { useService } from './support/use-service';

type Schema = Readonly<Record<string, any>>;
type Parameter = Readonly<{ name: string; in: string; required?: boolean; schema: Schema }>;
type Operation = Readonly<{ parameters?: readonly Parameter[]; requestBody?: any }>;

const RULES = [
  'type',
  'enum',
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
];
const LISTED = join(__dirname, 'inputs.txt');

/**
 * What every route takes, line by line. The checks and the document come from one declaration, so that a field that is
 * lost and a limit that is changed agree with each other everywhere: only this list shows that callers are refused what
 * they were promised. A change here is a change of the API: `WRITE_INPUTS=true npx jest test/inputs` writes the list
 * again, for the reviewer to read.
 */
describe('what the routes take', () => {
  const service = useService();

  it('is what is listed in inputs.txt', async () => {
    const { body } = await call(`${service.url}/openapi.json`);
    const resolved = <Thing extends Schema>({ $ref, ...rest }: Schema): Thing =>
      ($ref === undefined
        ? rest
        : ($ref as string)
            .split('/')
            .slice(1)
            .reduce((at, key) => at[key], body)) as Thing;
    const linesOf = (name: string, given: Schema, required: boolean): readonly string[] => {
      const schema = resolved(given);
      const rules = RULES.filter((rule) => schema[rule] !== undefined).map((rule) => {
        const value: unknown = schema[rule];
        return `${rule}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
      });
      const { properties = {}, required: mandatory = [] } = schema;
      return [
        `  ${name}${required ? ' (required)' : ''}: ${rules.join(' ')}`,
        ...Object.entries(properties as Record<string, Schema>).flatMap(([part, of]) =>
          linesOf(`${name}.${part}`, of, mandatory.includes(part)),
        ),
        ...(schema['items'] ? linesOf(`${name}[]`, schema['items'] as Schema, false) : []),
        ...((schema['anyOf'] ?? []) as Schema[]).flatMap((one) => linesOf(`${name}|`, one, false)),
      ];
    };
    const lines = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => [
        `${method.toUpperCase()} ${path}`,
        ...parameters
          .map((one) => resolved<Parameter>(one))
          .filter((one) => one.in !== 'path' && one.name !== 'X-Request-Id')
          .flatMap((one) => linesOf(`${one.in} ${one.name}`, one.schema, one.required ?? false)),
        ...(requestBody
          ? linesOf('body', resolved(requestBody)['content']['application/json'].schema as Schema, false)
          : []),
      ]),
    );
    if (process.env['WRITE_INPUTS'] === 'true') writeFileSync(LISTED, `${lines.join('\n')}\n`);
    expect(lines.join('\n').split('\n')).toEqual(readFileSync(LISTED, 'utf8').trimEnd().split('\n'));
  });
});
