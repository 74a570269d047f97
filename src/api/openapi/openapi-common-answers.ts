import { type OpenAPIObject } from '@nestjs/swagger';
import { type ErrorCode, statusOf } from '../../kernel/error-catalogue';
import { type JsonSchema } from '../../http/input/checks';

/** Errors that are returned before a route sees the request: bad headers, exceeded limits, timeouts. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'overloaded',
];
/** Every method except GET may have a body, and the body is read even if the route does not use it. */
const BODY_ERRORS: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

type Responses = Record<string, { description: string; content?: Record<string, { schema?: JsonSchema }> }>;

/** One response of the document: a status with the codes it may carry. */
export const failureResponse = (codes: readonly ErrorCode[], failure: 'Failure' | 'AgentFailure') => ({
  description: codes.join(', '),
  schema: {
    allOf: [{ $ref: `#/components/schemas/${failure}` }],
    properties: { error: { type: 'object', properties: { code: { type: 'string', enum: codes } } } },
  },
});

/** Adds to every operation the errors that the middleware may return. */
export function addCommonAnswers({ paths }: OpenAPIObject, isAgentSurface: (path: string) => boolean): void {
  for (const [path, operations] of Object.entries(paths)) {
    const failure = isAgentSurface(path) ? 'AgentFailure' : 'Failure';
    for (const [method, operation] of Object.entries(operations as Record<string, { responses: Responses }>)) {
      for (const code of method === 'get' ? COMMON_ERRORS : [...COMMON_ERRORS, ...BODY_ERRORS]) {
        const status = String(statusOf(code));
        const codes = [...new Set([...codesAt(operation.responses, status), code])];
        // Failures are JSON on every route, whatever its success response is.
        const { description, schema } = failureResponse(codes, failure);
        operation.responses[status] = { description, content: { 'application/json': { schema } } };
      }
    }
  }
}

/** The codes a status is described by. */
function codesAt(responses: Responses, status: string): readonly ErrorCode[] {
  const description = responses[status]?.description ?? '';
  return description === '' ? [] : (description.split(', ') as ErrorCode[]);
}
