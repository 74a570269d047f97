import { call } from '../support/http';
import { type RawAnswer } from './raw-http';

export type Schema = Readonly<Record<string, any>>;

/** One operation of the served OpenAPI document, as far as fuzzing needs it. */
export type Operation = Readonly<{
  method: string;
  path: string;
  schemes: readonly string[];
  body: Schema | undefined;
  query: readonly Readonly<{ name: string; schema: Schema }>[];
  /** Error codes by status; successes have none. */
  answers: ReadonlyMap<number, readonly string[]>;
  /** Media types of successes. */
  media: readonly string[];
}>;

export async function readOperations(url: string): Promise<readonly Operation[]> {
  const { body } = await call(`${url}/openapi.json`);
  return Object.entries(body.paths as Record<string, Record<string, any>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const responses = Object.entries(operation.responses as Record<string, any>);
      return {
        method: method.toUpperCase(),
        path,
        schemes: ((operation.security ?? []) as object[]).flatMap((requirement) => Object.keys(requirement)),
        body: operation.requestBody?.content?.['application/json']?.schema,
        query: ((operation.parameters ?? []) as any[]).filter((parameter) => parameter.in === 'query'),
        answers: new Map(responses.map(([status, response]) => [Number(status), codesIn(response)])),
        media: responses.flatMap(([status, { content = {} }]) => (status.startsWith('2') ? Object.keys(content) : [])),
      };
    }),
  );
}

const codesIn = (response: any): readonly string[] =>
  response.content?.['application/json']?.schema?.properties?.error?.properties?.code?.enum ?? [];

/** Refusals without an operation, because the request reached none. */
const NOWHERE: Readonly<Record<number, readonly string[]>> = {
  400: ['malformed_request', 'validation_failed', 'invalid_json'],
  404: ['resource_not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  413: ['payload_too_large'],
  414: ['uri_too_long'],
  415: ['unsupported_media_type'],
  431: ['headers_too_large'],
};

/** What is wrong with a response; undefined if it is documented. `operation` is undefined if the path was altered. */
export function problemWith(answer: RawAnswer, operation: Operation | undefined, method: string): string | undefined {
  const { status, text } = answer;
  if (status >= 500) return `server error ${status}`;
  const media = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (status < 400) {
    if (operation === undefined) return undefined;
    if (!operation.answers.has(status)) return `undocumented status ${status}`;
    return operation.media.includes(media) ? undefined : `undocumented media type ${media}`;
  }
  if (media !== 'application/json') return `a refusal as ${media || 'nothing'} (${status})`;
  if (method === 'HEAD') return undefined;
  const code = codeIn(text);
  if (code === undefined) return `a refusal outside the envelope (${status})`;
  if (!answer.headers['x-request-id']) return `a refusal without a request id (${code})`;
  const foreseen = [...(operation?.answers.get(status) ?? []), ...(NOWHERE[status] ?? [])];
  // An altered path may have reached another operation than intended; its codes are still from the catalogue.
  if (operation === undefined || foreseen.includes(code)) return undefined;
  return `undocumented code ${code} (${status})`;
}

function codeIn(text: string): string | undefined {
  try {
    const { ok, success, error } = JSON.parse(text) as { ok?: unknown; success?: unknown; error?: { code?: unknown } };
    const isFailure = ok === false || success === false;
    return isFailure && typeof error?.code === 'string' ? error.code : undefined;
  } catch {
    return undefined;
  }
}
