import { type Random } from '../support/seeded';
import { type Operation, type Schema } from './document';
import { type Header, METHODS, RAW, trickHeaders, trickId, trickPath, trickQuery } from './http-tricks';
import { tortureBody } from './json-torture';
import { type RawRequest } from './raw-http';
import { sample, spoil } from './samples';

export type Credentials = (scheme: string) => Readonly<Record<string, string>>;

export type Case = Readonly<{
  kind: Kind;
  request: RawRequest;
  /** What the response is judged by; undefined if the request may not have reached it. */
  operation: Operation | undefined;
  /** The connection may close without a response: the request was not HTTP, or announced more than it sent. */
  mayBeCut: boolean;
}>;

export const KINDS = ['json', 'values', 'headers', 'paths', 'ids', 'query', 'methods', 'raw'] as const;
export type Kind = (typeof KINDS)[number];

/** What the generator draws from: the document, credentials that work, and ids that exist. */
export type Material = Readonly<{
  operations: readonly Operation[];
  credentials: Credentials;
  ids: readonly string[];
}>;

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** One hostile request of the given kind. The same seed gives the same sequence. */
export function nextCase(random: Random, kind: Kind, material: Material): Case {
  const all = material.operations;
  const taking = kind === 'json' || kind === 'values' ? all.filter(({ body }) => body !== undefined) : all;
  const operation = random.pick(taking);
  const headers = credentialFor(operation, random, material);
  const target = targetOf(operation, random, material);
  const body = bodyOf(operation, random);
  const plain: RawRequest = {
    method: operation.method,
    target,
    headers: [...headers, ...JSON_TYPE],
    ...withBody(body),
  };
  const made = (request: RawRequest, changes: Partial<Case> = {}): Case => ({
    kind,
    request,
    operation,
    mayBeCut: false,
    ...changes,
  });
  switch (kind) {
    case 'json':
      return made({ ...plain, body: tortureBody(random, fieldOf(operation.body, random)) });
    case 'values':
      return made({ ...plain, body: json(spoil(sample(operation.body ?? {}, random), random)) });
    case 'headers': {
      const tricks = trickHeaders(random);
      const kept = plain.headers.filter(([name]) => random.below(4) > 0 || name !== 'Content-Type');
      // False framing leaves the service waiting for more, or with a remainder that it cannot parse.
      const mayBeCut = tricks.some(([name]) => /^(content-length|transfer-encoding|upgrade|host)$/i.test(name));
      return made({ ...plain, headers: [...kept, ...tricks], isAll: mayBeCut }, { operation: undefined, mayBeCut });
    }
    case 'paths':
      return made({ ...plain, target: trickPath(random, target) }, { operation: undefined });
    case 'ids': {
      const path = operation.path.replace(/\{\w+\}/g, () => trickId(random));
      return made({ ...plain, target: path }, { operation: undefined });
    }
    case 'query': {
      const names = operation.query.map(({ name }) => name);
      return made({ ...plain, target: `${target.split('?')[0]}?${trickQuery(random, names)}` });
    }
    case 'methods':
      return made({ ...plain, method: random.pick(METHODS) }, { operation: undefined });
    case 'raw':
      return made({ ...plain, bytes: random.pick(RAW), isAll: true }, { operation: undefined, mayBeCut: true });
  }
}

const JSON_TYPE: readonly Header[] = [['Content-Type', 'application/json']];
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');
const withBody = (body: Buffer | undefined) => (body === undefined ? {} : { body });

/** Mostly a valid one, so that the code behind the guard is reached too. */
function credentialFor(operation: Operation, random: Random, { credentials }: Material): readonly Header[] {
  if (operation.schemes.length === 0 || random.below(10) === 0) return [];
  return Object.entries(credentials(random.pick(operation.schemes)));
}

function targetOf({ path, query }: Operation, random: Random, { ids }: Material): string {
  const filled = path.replace(/\{\w+\}/g, () => random.pick(ids));
  const given = query.filter(({ name }) => name !== 'wait' && random.below(3) === 0);
  const pairs = given.map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(schema, random)))}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

const bodyOf = ({ method, body }: Operation, random: Random): Buffer | undefined =>
  WITH_BODY.has(method) && body !== undefined ? json(sample(body, random)) : undefined;

const fieldOf = (schema: Schema | undefined, random: Random): string =>
  random.pick([...Object.keys((schema?.['properties'] ?? {}) as object), 'unknown']);
