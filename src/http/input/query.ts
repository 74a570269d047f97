import { parse } from 'node:querystring';
import { noteIssues } from './input-issues';
import { mayBePrivateKey, namesPrivateKey, newAllowance, privateKeyIssue } from './private-keys';
import { isReadable } from './json-body';
import { type Issue } from '../../kernel/errors';

/** Every parameter once, as a string; a repeated one is an error, not a choice. */
export function parseQuery(text: string): Record<string, string> {
  const query: Record<string, string> = {};
  const issues: Issue[] = [];
  const allowance = newAllowance();
  // No query needs several transaction signatures: they must not use up the allowance and let a key pass.
  const isKey = (text: string): boolean => mayBePrivateKey(text, allowance);
  for (const [name, value] of Object.entries(parse(text, '&', '=', { maxKeys: 0, decodeURIComponent: decoded }))) {
    const field = isReadable(name) && !mayBePrivateKey(name) ? name : '';
    if (isKey(name) || namesPrivateKey(name, value) || [value].flat().some((one) => isKey(one ?? ''))) {
      issues.push(privateKeyIssue(field));
    } else if (typeof value !== 'string') {
      issues.push({ code: 'repeated', field, message: 'must be given once' });
    } else if (!isReadable(value)) {
      issues.push({ code: 'unreadable_text', field, message: 'must not contain control characters' });
    } else {
      query[name] = value;
    }
  }
  noteIssues(query, issues);
  return query;
}

/** The values of one parameter, without decoding those that are none of it. */
export function valuesOf(wanted: string, text: string): readonly string[] {
  const values: string[] = [];
  for (const part of text.split('&')) {
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    if (name === wanted || (canSpell(name, wanted) && decoded(name) === wanted))
      values.push(equals === -1 ? '' : decoded(part.slice(equals + 1).replaceAll('+', ' ')));
  }
  return values;
}

/** With some of its letters escaped. */
const canSpell = (name: string, wanted: string): boolean =>
  name.length > wanted.length && name.length <= wanted.length * ESCAPED_LENGTH && name.includes('%');

const ESCAPED_LENGTH = '%00'.length;

/**
 * As Node's own, but without an error thrown for each part that is not UTF-8: a query may have thousands of those.
 * Characters that were not escaped stay as they are.
 */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text).toString('latin1').replace(ESCAPED, byteOf);
  return Buffer.from(bytes, 'latin1').toString();
}

const ESCAPED = /%[0-9A-Fa-f]{2}/g;
const byteOf = (escaped: string): string => String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
