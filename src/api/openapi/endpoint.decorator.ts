import { applyDecorators, HttpCode, type Type, UseGuards, UseInterceptors } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { AgentEnvelope } from '../../http/server/agent-envelope.interceptor';
import { unknownNetworks } from '../../http/input/named-networks';
import { UnreadInput } from '../../http/server/unread-input.guard';
import { type JsonSchema } from '../../http/input/checks';
import { CredentialKindGuard } from '../../access/credential-kind.guard';
import { type Credential, credentials } from '../../access/credentials';
import { NeedsScope } from '../../access/connection.guard';
import { type Scope } from '../../kernel/scopes';
import { TestnetOnlyGuard } from '../../access/testnet-only.guard';
import { Described } from './described';
import { descriptionOf } from './openapi-route';
import { RateLimit, RateLimitGuard } from '../../http/server/rate-limit.guard';
import { type RateLimitName } from '../../http/server/rate-limits';

export type EndpointParts = Readonly<{
  summary: string;
  description?: string;
  credential: keyof typeof credentials;
  /** The scope that a connection must have been granted. */
  scope?: Scope;
  status?: 200 | 201 | 202;
  /** `agent`: the older surface, with its own envelope (the response is its `data`) and test networks only. */
  surface?: 'agent';
  /** The fields of the response besides `ok`. */
  answer: Readonly<Record<string, JsonSchema>>;
  /** The status of the same response if the requested thing already existed. */
  again?: 200;
  /** What the response can be instead of JSON, by media type; with `only` it is never JSON. */
  media?: Readonly<{ types: Readonly<Record<string, JsonSchema>>; only?: true }>;
  /** Response fields that are present only in some cases. */
  optional?: Readonly<Record<string, JsonSchema>>;
  /** It makes something once per idempotency key (docs/adr/0030): the same intent answers 200 with what was made. */
  keyed?: true;
  body?: Type<unknown>;
  /**
   * The pipe skips the body, and the route reads the valid parts of it: checks against a stored record or the clock
   * then report their issues in the same response.
   */
  readsBodyItself?: true;
  query?: Type<unknown>;
  errors?: readonly ErrorCode[];
  /** False only for routes that monitoring polls. */
  limited?: boolean;
  /** A separate limit, for a call that costs more than others with the same credential. */
  limit?: RateLimitName;
}>;

/** Everything about a route except its path: guards, limits, status, and its entry in the OpenAPI document. */
export function Endpoint(declared: EndpointParts): MethodDecorator {
  const parts: EndpointParts = declared.keyed
    ? { ...declared, again: 200, errors: [...(declared.errors ?? []), ...KEY_ERRORS] }
    : declared;
  const credential: Credential = credentials[parts.credential];
  const limited = parts.limited ?? true;
  const isAgentSurface = parts.surface === 'agent';
  return applyDecorators(
    assertWhoReadsBody(parts),
    HttpCode(parts.status ?? 200),
    UseGuards(
      ...(credential.schemes.length > 0 ? [new CredentialKindGuard(credential.schemes)] : []),
      ...credential.guards,
      ...(isAgentSurface ? [TestnetOnlyGuard] : []),
      ...(limited ? [RateLimitGuard] : []),
      ...(isAgentSurface || !parts.body || !parts.query
        ? [new UnreadInput(unreadParts(parts), isAgentSurface ? unknownNetworks : undefined)]
        : []),
    ),
    ...(isAgentSurface ? [UseInterceptors(AgentEnvelope)] : []),
    ...(limited ? [RateLimit(parts.limit ?? credential.limit)] : []),
    ...(parts.scope ? [NeedsScope(parts.scope)] : []),
    Described((swagger) => descriptionOf(parts, credential, swagger)),
  );
}

const KEY_ERRORS = ['IDEMPOTENCY_KEY_MISMATCH', 'IDEMPOTENCY_KEY_REUSED'] as const;

const unreadParts = (parts: EndpointParts) => (['body', 'query'] as const).filter((part) => parts[part] === undefined);

/** The pipe reads the body only if the parameter's type is the declared class, so a different type must be intentional. */
const assertWhoReadsBody =
  ({ body, readsBodyItself }: EndpointParts): MethodDecorator =>
  (target, property) => {
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, property) ?? {}) as object;
    const types = (Reflect.getMetadata('design:paramtypes', target, property) ?? []) as readonly unknown[];
    const [at] = Object.keys(parameters)
      .filter((key) => key.startsWith(`${RouteParamtypes.BODY}:`))
      .map((key) => Number(key.split(':')[1]));
    // Unread, nothing that is wrong with it would be reported.
    const isUnread = body !== undefined && at === undefined;
    const isReadByPipe = at !== undefined && types[at] === body;
    if (isUnread || (at !== undefined && isReadByPipe === (readsBodyItself ?? false)))
      throw new Error(`${target.constructor.name}.${String(property)}: who reads the body, the pipe or the route?`);
  };
