import { ValidateBy, type ValidationArguments } from 'class-validator';
import { type Check, type JsonSchema, type Problem, required } from './checks';

type Fields = Record<string, Readonly<{ check: Check; optional: boolean }>>;
const registry = new WeakMap<object, Fields>();

/** A required field of an input class: validated by class-validator, described in the OpenAPI document by the same check. */
export const Field = (check: Check): PropertyDecorator => declare(check, false);

/** The field may be absent. Null is not absent. */
export const OptionalField = (check: Check): PropertyDecorator => declare(check, true);

function declare(check: Check, optional: boolean): PropertyDecorator {
  const problemsOf = (value: unknown): readonly Problem[] => {
    if (value === undefined) return optional ? [] : [required];
    return check.problems(value);
  };
  return (target, property) => {
    const fields = registry.get(target.constructor) ?? { ...inherited(target.constructor) };
    registry.set(target.constructor, { ...fields, [String(property)]: { check, optional } });
    ValidateBy({
      name: 'field',
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

export function schemaOf(type: object): JsonSchema {
  const fields = Object.entries(fieldsOf(type));
  const mandatory = fields.filter(([, field]) => !field.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, field.check.schema])),
    ...(mandatory.length > 0 ? { required: mandatory } : {}),
  };
}
