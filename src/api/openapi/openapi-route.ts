import { type Type } from '@nestjs/common';
import { type Credential } from '../../access/credentials';
import { type JsonSchema } from '../../http/input/checks';
import { fieldsOf, schemaOf } from '../../http/input/field.decorator';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { type Swagger } from './described';
import { type EndpointParts } from './endpoint.decorator';
import { describeErrors, describeSuccess } from './openapi-answers';

/** Errors that any route may return. */
const COMMON_ERRORS: readonly ErrorCode[] = ['resource_not_found', 'internal_error', 'store_unavailable'];
const BODY_ERRORS: readonly ErrorCode[] = [
  'validation_failed',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

const AGENT_SURFACE_ERRORS: readonly ErrorCode[] = ['phase_0_mainnet_disabled', 'validation_failed'];

/** A route's entry in the OpenAPI document. */
export function descriptionOf(
  parts: EndpointParts,
  credential: Credential,
  { ApiBody, ApiOperation, ApiQuery, ApiResponse, ApiSecurity }: Swagger,
): readonly MethodDecorator[] {
  const { summary, body, query, status = 200, again, surface } = parts;
  const responses = [
    describeSuccess(parts, status, 'Done.'),
    ...(again ? [describeSuccess(parts, again, 'It already existed; this is its current state.')] : []),
    ...describeErrors(errorsOf(parts, credential), surface === 'agent' ? 'AgentFailure' : 'Failure'),
  ];
  return [
    ApiOperation({ summary, ...described(parts) }),
    ...credential.schemes.map((scheme) => ApiSecurity(scheme)),
    ...(body ? [ApiBody(describeBody(body, credential))] : []),
    ...Object.entries(query ? fieldsOf(query) : {}).map(([name, { check, optional }]) =>
      ApiQuery({ name, required: !optional, schema: check.schema }),
    ),
    ...responses.map((response) => ApiResponse(response)),
  ];
}

/** OpenAPI has no scopes for bearer tokens, so the required scope is stated in the description. */
function described({ description, scope }: EndpointParts): Readonly<{ description?: string }> {
  const sentences = [description, scope && `A connection needs the scope \`${scope}\`.`].filter(Boolean);
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

/** A missing body counts as an empty object, so a body is required only if one of its fields is. */
function describeBody(
  body: Type<unknown>,
  { bodyFields }: Credential,
): Readonly<{ schema: JsonSchema; required: boolean }> {
  const own = schemaOf(body);
  const schema = bodyFields ? { ...own, properties: { ...(own['properties'] as object), ...bodyFields } } : own;
  return { schema, required: 'required' in schema };
}

function errorsOf(parts: EndpointParts, credential: Credential): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...credential.errors,
    ...((parts.limited ?? true) ? (['rate_limited'] as const) : []),
    ...(parts.surface === 'agent' ? AGENT_SURFACE_ERRORS : []),
    ...(parts.body ? BODY_ERRORS : parts.query ? (['validation_failed'] as const) : []),
    ...(parts.errors ?? []),
  ]);
  return [...codes];
}
