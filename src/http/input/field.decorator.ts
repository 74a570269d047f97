import { type ValidationArguments } from 'class-validator';
// Imported by path: the package's index loads 300 more files, among them phone-number metadata for every country.
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy';
import { type Check, type JsonSchema, missing, type Problem } from './checks';

/** What is wrong with a value, by itself or together with the other fields of its input. */
type Rule = (value: unknown, input: object) => readonly Problem[];
type Declared = Readonly<{ check: Check; optional: boolean; rules: readonly Rule[] }>;
type Fields = Record<string, Declared>;
export type FieldProblem = readonly [field: string, problem: Problem];
const registry = new WeakMap<object, Fields>();

/** A required field of an input class, declared to class-validator and described in OpenAPI by the same check. */
export const Field = (check: Check): PropertyDecorator => declare(check, false);

/** The field may be absent. Null is not absent. */
export const OptionalField = (check: Check): PropertyDecorator => declare(check, true);

function declare(check: Check, optional: boolean): PropertyDecorator {
  const rule: Rule = (value) => {
    if (value === undefined) return optional ? [] : missing(check);
    return check.problems(value);
  };
  return (target, property) => {
    registry.set(target.constructor, {
      ...fieldsOf(target.constructor),
      [String(property)]: { check, optional, rules: [rule] },
    });
    tellClassValidator('field', rule)(target, property);
  };
}

/** An additional rule, for what depends on other fields. Place it above the field's own decorator. */
export function FieldRule(name: string, rule: (value: unknown, input: object, field: string) => readonly Problem[]) {
  return (target: object, property: string | symbol): void => {
    const fields = fieldsOf(target.constructor);
    const field = String(property);
    const declared = fields[field];
    if (declared === undefined) throw new Error(`${field} has a rule and no check: declare the field first`);
    const ofField: Rule = (value, input) => rule(value, input, field);
    const rules = [...declared.rules, ofField];
    registry.set(target.constructor, { ...fields, [field]: { ...declared, rules } });
    tellClassValidator(name, ofField)(target, property);
  };
}

/** Makes class-validator report the same to anyone who uses it; we call the rules directly, which costs less. */
const tellClassValidator = (name: string, rule: Rule): PropertyDecorator => {
  const problemsOf = (args?: ValidationArguments): readonly Problem[] => rule(args?.value, args?.object ?? {});
  return ValidateBy({
    name,
    validator: {
      validate: (_value: unknown, args?: ValidationArguments) => problemsOf(args).length === 0,
      defaultMessage: (args?: ValidationArguments) =>
        problemsOf(args)
          .map(({ message }) => message)
          .join('; '),
    },
  });
};

const inherited = (type: object): Fields => {
  const parent = Object.getPrototypeOf(type) as object | null;
  return (parent && registry.get(parent)) ?? {};
};

export const fieldsOf = (type: object): Fields => registry.get(type) ?? inherited(type);

/** Everything that is wrong with the fields of an input of this class. */
export function fieldProblems(type: object, input: object): readonly FieldProblem[] {
  const values = input as Readonly<Record<string, unknown>>;
  const found: FieldProblem[] = [];
  for (const [field, { rules }] of Object.entries(fieldsOf(type)))
    for (const rule of rules) for (const problem of rule(values[field], input)) found.push([field, problem]);
  return found;
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
