import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { type Check, type Problem } from './checks';
import { fieldsOf, isSound } from './field.decorator';
import { idempotencyKey } from './idempotency-key';
import { identityClaims } from './identity-claims';
import { notedIssues } from './input-issues';
import { isReadable } from './json-body';
import { transactionId } from './transaction-id';

const PATH_ID = /^[A-Za-z0-9._:-]{1,160}$/;
/** Callers name their transactions and keys themselves, with any readable text. */
const OWN_NAMES: ReadonlyMap<string | undefined, Check> = new Map([
  ['transactionId', transactionId('')],
  ['key', idempotencyKey],
]);

/** Turns what came over the wire into what a controller declares, or lists everything that is wrong with it. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'param') {
      if (typeof value !== 'string' || !isNameOf(data, value)) throw refuse('resource_not_found');
      return value;
    }
    const declared = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    if (!declared || typeof value !== 'object' || value === null) return value;

    const input = Object.assign(new metatype() as object, value);
    const issues = issuesIn(value, input);
    if (issues.length > 0) throw refuseInput(issues);
    return input;
  }
}

/** All that is wrong with a body in itself, for who has more to say about it in the same answer. */
export const inputIssues = (type: new () => object, body: object): readonly Issue[] =>
  issuesIn(body, Object.assign(new type(), body));

const issuesIn = (given: object, input: object): readonly Issue[] => [
  ...identityClaims(undeclared(given, input)),
  ...notedIssues(given),
  ...fieldIssues(input),
];

/** What an input declares is no claim: the agent whose requests are looked for is not the one who looks. */
const undeclared = (given: object, input: object): readonly string[] => {
  const declared = fieldsOf(input.constructor);
  return Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
};

const isNameOf = (param: string | undefined, value: string): boolean =>
  PATH_ID.test(value) || (isReadable(value) && OWN_NAMES.get(param)?.problems(value).length === 0);

function fieldIssues(input: object): Issue[] {
  if (isSound(input)) return [];
  return validateSync(input, { forbidUnknownValues: false }).flatMap(({ property, constraints }) =>
    Object.values(constraints ?? {}).flatMap((text) =>
      (JSON.parse(text) as Problem[]).map(({ code, message, path }) => ({
        code,
        field: path === undefined ? property : `${property}.${path}`,
        message,
      })),
    ),
  );
}
