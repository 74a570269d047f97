import { getMetadataStorage, ValidateBy, type ValidationArguments } from 'class-validator';
import { type Check, type JsonSchema, missing, type Problem } from './checks';

type Declared = Readonly<{ check: Check; optional: boolean; problems: (value: unknown) => readonly Problem[] }>;
type Fields = Record<string, Declared>;
type FieldRule = readonly [field: string, problems: Declared['problems']];
const registry = new WeakMap<object, Fields>();
const FIELD = 'field';

/** A required field of an input class: validated by class-validator, described in the OpenAPI document by the same check. */
export const Field = (check: Check): PropertyDecorator => declare(check, false);

/** The field may be absent. Null is not absent. */
export const OptionalField = (check: Check): PropertyDecorator => declare(check, true);

function declare(check: Check, optional: boolean): PropertyDecorator {
  const problemsOf = (value: unknown): readonly Problem[] => {
    if (value === undefined) return optional ? [] : missing(check);
    return check.problems(value);
  };
  return (target, property) => {
    const fields = registry.get(target.constructor) ?? { ...inherited(target.constructor) };
    registry.set(target.constructor, { ...fields, [String(property)]: { check, optional, problems: problemsOf } });
    ValidateBy({
      name: FIELD,
      validator: {
        validate: (value: unknown) => problemsOf(value).length === 0,
        // class-validator carries one text per rule; the pipe takes the problems out of it again.
        defaultMessage: (args?: ValidationArguments) => JSON.stringify(problemsOf(args?.value)),
      },
    })(target, property);
  };
}

const inherited = (type: object): Fields => {
  const parent = Object.getPrototypeOf(type) as object | null;
  return (parent && registry.get(parent)) ?? {};
};

export const fieldsOf = (type: object): Fields => registry.get(type) ?? inherited(type);

/** Null for a class that has rules of other kinds too: class-validator alone knows all of them. */
const rules = new WeakMap<object, readonly FieldRule[] | null>();

/**
 * Whether it is certain that nothing is wrong: the same checks without class-validator's way to them, which costs more than
 * they do. What is wrong, if something may be, it tells.
 */
export function isSound(input: object): boolean {
  const type = input.constructor;
  let known = rules.get(type);
  if (known === undefined) rules.set(type, (known = rulesOf(type)));
  const values = input as Readonly<Record<string, unknown>>;
  return known !== null && known.every(([field, problems]) => problems(values[field]).length === 0);
}

function rulesOf(type: object): readonly FieldRule[] | null {
  const all = getMetadataStorage().getTargetValidationMetadatas(type as new () => object, '', false, false);
  if (all.length === 0 || all.some(({ name }) => name !== FIELD)) return null;
  return Object.entries(fieldsOf(type)).map(([field, { problems }]) => [field, problems]);
}

export function schemaOf(type: object): JsonSchema {
  const fields = Object.entries(fieldsOf(type));
  const mandatory = fields.filter(([, field]) => !field.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, field.check.schema])),
    ...(mandatory.length > 0 ? { required: mandatory } : {}),
  };
}
