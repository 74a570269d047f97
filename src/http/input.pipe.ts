import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { type Issue, refuse, refuseInput } from '../kernel/errors';
import { type Problem } from './checks';
import { isSound } from './field.decorator';
import { identityClaims } from './identity-claims';
import { notedIssues } from './input-issues';

const PATH_ID = /^[A-Za-z0-9._:-]{1,160}$/;

/** Turns what came over the wire into what a controller declares, or lists everything that is wrong with it. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'param') {
      if (typeof value !== 'string' || !PATH_ID.test(value)) throw refuse('resource_not_found');
      return value;
    }
    const declared = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    if (!declared || typeof value !== 'object' || value === null) return value;

    const input = Object.assign(new metatype() as object, value);
    const issues = [...identityClaims(Object.keys(value)), ...notedIssues(value), ...fieldIssues(input)];
    if (issues.length > 0) throw refuseInput(issues);
    return input;
  }
}

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
