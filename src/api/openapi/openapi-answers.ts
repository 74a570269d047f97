import { type ApiResponseOptions } from '@nestjs/swagger';
import { type ErrorCode, statusOf } from '../../kernel/error-catalogue';
import { type JsonSchema } from '../../http/input/checks';
import { type EndpointParts } from './endpoint.decorator';
import { failureResponse } from './openapi-common-answers';

/** Describes a route's success response in the OpenAPI document. */
export function describeSuccess(parts: EndpointParts, status: number, description: string): ApiResponseOptions {
  const { answer, optional, media, surface } = parts;
  const schema = surface === 'agent' ? agentSuccessSchema(answer) : successSchema(answer, optional);
  if (media === undefined) return { status, description, schema };
  const types = { ...(media.only ? {} : { 'application/json': schema }), ...media.types };
  const content = Object.fromEntries(Object.entries(types).map(([type, of]) => [type, { schema: of }]));
  return { status, description, content };
}

const successSchema = (answer: EndpointParts['answer'], optional: EndpointParts['optional']): JsonSchema => ({
  type: 'object',
  properties: { ok: { type: 'boolean', const: true }, ...answer, ...optional },
  required: ['ok', ...Object.keys(answer)],
});

const agentSuccessSchema = (answer: EndpointParts['answer']): JsonSchema => ({
  type: 'object',
  properties: {
    success: { type: 'boolean', const: true },
    ...answer,
    request_id: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
  },
  required: ['success', ...Object.keys(answer), 'request_id', 'timestamp'],
});

/** One response per status, naming the codes it may carry. */
export function describeErrors(codes: readonly ErrorCode[], failure: 'Failure' | 'AgentFailure'): ApiResponseOptions[] {
  return [...new Set(codes.map(statusOf))].map((status) => {
    const ofStatus = codes.filter((code) => statusOf(code) === status);
    return { status, ...failureResponse(ofStatus, failure) };
  });
}
