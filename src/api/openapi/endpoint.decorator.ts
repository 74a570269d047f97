import { applyDecorators, HttpCode, type Type, UseGuards, UseInterceptors } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { ApiBody, ApiOperation, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { AgentEnvelope } from '../../http/server/agent-envelope.interceptor';
import { UnreadInput } from '../../http/server/unread-input.guard';
import { type JsonSchema } from '../../http/input/checks';
import { CredentialKindGuard } from '../../access/credential-kind.guard';
import { type Credential, credentials } from '../../access/credentials';
import { fieldsOf, schemaOf } from '../../http/input/field.decorator';
import { NeedsScope } from '../../access/connection.guard';
import { type Scope } from '../../kernel/scopes';
import { TestnetOnlyGuard } from '../../access/testnet-only.guard';
import { describeErrors, describeSuccess } from './openapi-answers';
import { RateLimit, RateLimitGuard } from '../../http/server/rate-limit.guard';
import { type RateLimitName } from '../../http/server/rate-limits';

export type EndpointParts = Readonly<{
  summary: string;
  description?: string;
  credential: keyof typeof credentials;
  /** What a connection must have been granted. */
  scope?: Scope;
  status?: 200 | 201 | 202;
  /** `agent`: the older surface, with its own envelope (the answer is `data`) and test networks only. */
  surface?: 'agent';
  /** The named parts of the answer beside `ok`. */
  answer: Readonly<Record<string, JsonSchema>>;
  /** The same answer under another status: what was asked for was there already. */
  again?: 200;
  /** What the answer can be instead of JSON, by media type; `only` says that it never is JSON. */
  media?: Readonly<{ types: Readonly<Record<string, JsonSchema>>; only?: true }>;
  /** Parts of the answer that are there in some cases only. */
  optional?: Readonly<Record<string, JsonSchema>>;
  body?: Type<unknown>;
  /**
   * The pipe lets the body pass, and the route reads as much of it as can be read: a stored record or the clock has something
   * to say about it in the same answer.
   */
  readsBodyItself?: true;
  query?: Type<unknown>;
  errors?: readonly ErrorCode[];
  /** Off only for what monitors ask often. */
  limited?: boolean;
  /** A limit of its own, where a call costs more than others of its credential. */
  limit?: RateLimitName;
}>;

/** Errors any route may answer with. */
const COMMON: readonly ErrorCode[] = ['resource_not_found', 'internal_error', 'store_unavailable'];
const WITH_BODY: readonly ErrorCode[] = [
  'validation_failed',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

const SURFACE: readonly ErrorCode[] = ['phase_0_mainnet_disabled', 'validation_failed'];

/** Everything about a route but its path: guards, limits, status, and its whole entry in the OpenAPI document. */
export function Endpoint(parts: EndpointParts): MethodDecorator {
  const credential: Credential = credentials[parts.credential];
  const limited = parts.limited ?? true;
  const isAgentSurface = parts.surface === 'agent';
  const errors = new Set<ErrorCode>([
    ...COMMON,
    ...credential.errors,
    ...(limited ? (['rate_limited'] as const) : []),
    ...(isAgentSurface ? SURFACE : []),
    ...(parts.body ? WITH_BODY : parts.query ? (['validation_failed'] as const) : []),
    ...(parts.errors ?? []),
  ]);
  return applyDecorators(
    assertWhoReadsBody(parts),
    HttpCode(parts.status ?? 200),
    UseGuards(
      ...(credential.schemes.length > 0 ? [new CredentialKindGuard(credential.schemes)] : []),
      ...credential.guards,
      ...(isAgentSurface ? [TestnetOnlyGuard] : []),
      ...(limited ? [RateLimitGuard] : []),
      ...(parts.body ? [] : [new UnreadInput('body')]),
      ...(parts.query ? [] : [new UnreadInput('query')]),
    ),
    ...(isAgentSurface ? [UseInterceptors(AgentEnvelope)] : []),
    ...(limited ? [RateLimit(parts.limit ?? credential.limit)] : []),
    ApiOperation({ summary: parts.summary, ...described(parts) }),
    ...(parts.scope ? [NeedsScope(parts.scope)] : []),
    ...credential.schemes.map((scheme) => ApiSecurity(scheme)),
    ...(parts.body ? [describeBody(bodySchema(parts.body, credential))] : []),
    ...(parts.query ? queryDecorators(parts.query) : []),
    describeSuccess(parts, parts.status ?? 200, 'Done.'),
    ...(parts.again ? [describeSuccess(parts, parts.again, 'It already existed; this is its current state.')] : []),
    ...describeErrors([...errors], isAgentSurface ? 'AgentFailure' : 'Failure'),
  );
}

/** Which scope a call needs is nowhere else in the document: bearer tokens have none there. */
function described({ description, scope }: EndpointParts): Readonly<{ description?: string }> {
  const sentences = [description, scope && `A connection needs the scope \`${scope}\`.`].filter(Boolean);
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

/** A parameter of the declared class is what makes the pipe read the body; a route where it is of another type must mean that. */
const assertWhoReadsBody =
  ({ body, readsBodyItself }: EndpointParts): MethodDecorator =>
  (target, property) => {
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, property) ?? {}) as object;
    const types = (Reflect.getMetadata('design:paramtypes', target, property) ?? []) as readonly unknown[];
    const [at] = Object.keys(parameters)
      .filter((key) => key.startsWith(`${RouteParamtypes.BODY}:`))
      .map((key) => Number(key.split(':')[1]));
    const isReadByPipe = at !== undefined && types[at] === body;
    if (at !== undefined && isReadByPipe === (readsBodyItself ?? false))
      throw new Error(`${target.constructor.name}.${String(property)}: who reads the body, the pipe or the route?`);
  };

/** No body counts as an empty one, so it is needed only where a field is. */
const describeBody = (schema: JsonSchema): MethodDecorator => ApiBody({ schema, required: 'required' in schema });

function bodySchema(body: Type<unknown>, credential: Credential): JsonSchema {
  const schema = schemaOf(body);
  if (credential.bodyFields === undefined) return schema;
  return { ...schema, properties: { ...(schema['properties'] as object), ...credential.bodyFields } };
}

const queryDecorators = (query: Type<unknown>): MethodDecorator[] =>
  Object.entries(fieldsOf(query)).map(([name, { check, optional }]) =>
    ApiQuery({ name, required: !optional, schema: check.schema }),
  );
