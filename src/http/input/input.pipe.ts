import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { type Check } from './checks';
import { fieldProblems, fieldsOf } from './field.decorator';
import { idempotencyKey } from './idempotency-key';
import { identityClaims } from './identity-claims';
import { notedIssues } from './input-issues';
import { MAX_ISSUES } from './issue-paths';
import { isReadable } from './json-body';
import { keysOf } from './keys-of';
import { isPrivateKey, privateKeyIssue } from './private-keys';
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
      if (OWN_NAMES.has(data) && isPrivateKey(value)) throw refuseInput([privateKeyIssue(data ?? '')]);
      return value;
    }
    const declared = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    if (!declared || typeof value !== 'object' || value === null) return value;

    const input = filledFrom(metatype as new () => object, value);
    const issues = issuesIn(metatype, value, input);
    if (issues.length > 0) throw refuseInput(issues);
    return input;
  }
}

/** Every issue of a body by itself, for code that adds more issues to the same response. */
export const inputIssues = (type: new () => object, body: object): readonly Issue[] =>
  issuesIn(type, body, filledFrom(type, body));

/**
 * Copies declared fields only: input must not replace a method or the class, and ten thousand undeclared names are not
 * worth copying.
 */
function filledFrom(type: new () => object, given: object): object {
  const input = new type() as Record<string, unknown>;
  for (const name of Object.keys(fieldsOf(type)))
    if (Object.hasOwn(given, name)) input[name] = (given as Readonly<Record<string, unknown>>)[name];
  return input;
}

function issuesIn(type: object, given: object, input: object): readonly Issue[] {
  const inFields = fieldIssues(type, input);
  // An issue that a field reports itself, such as a seed pasted as an address, need not be listed twice.
  const noted = notedIssues(given).filter(
    ({ code, field }) => !inFields.some((one) => one.code === code && one.field === field),
  );
  return [...claimsIn(type, given), ...noted, ...inFields].slice(0, MAX_ISSUES);
}

/** A declared field is not a claim: the agent whose requests are searched for is not the caller. */
function claimsIn(type: object, given: object): readonly Issue[] {
  const declared = fieldsOf(type);
  return identityClaims(keysOf(given)).filter(({ field }) => !Object.hasOwn(declared, field));
}

const isNameOf = (param: string | undefined, value: string): boolean =>
  PATH_ID.test(value) || (isReadable(value) && OWN_NAMES.get(param)?.problems(value).length === 0);

function fieldIssues(type: object, input: object): readonly Issue[] {
  return fieldProblems(type, input).map(([field, { code, message, path }]) => ({
    code,
    field: path === undefined ? field : `${field}.${path}`,
    message,
  }));
}
