import { isPlainObject } from '../../http/input/checks';
import { isReadable } from '../../http/input/json-body';
import { refuse, type Refusal } from '../../kernel/errors';
import { type AgentId, isIdIn } from '../../kernel/aggregates';

/** The claims an agent signs. Times are seconds since 1970, as in every JWT. */
export type AssertionClaims = Readonly<{
  aud: string;
  iat: number;
  exp: number;
  nbf?: number;
  jti: string;
  /** The agent's own id, if the caller sent it as iss, sub or both. */
  agentId?: AgentId;
}>;

export type ParsedAssertion = Readonly<{
  kid: string;
  claims: AssertionClaims;
  /** The bytes under the signature. */
  signed: Buffer;
  signature: Buffer;
}>;

const HEADER_FIELDS = new Set(['alg', 'typ', 'kid']);
const MAX_JTI = 128;

export const invalidAssertion = (message: string, details?: Readonly<Record<string, unknown>>): Refusal =>
  refuse('invalid_assertion', details === undefined ? { message } : { message, details });

/**
 * Parses a compact JWS without trusting it. The header may hold alg, typ and kid only: anything else (crit, b64, jwk,
 * jku, x5c) would tell us how to verify, and that is not for the sender to decide.
 */
export function parseAssertion(text: string): ParsedAssertion {
  const parts = text.split('.');
  const [header, payload, signature] = parts.map(decodePart);
  if (parts.length !== 3 || !header || !payload || !signature) {
    throw invalidAssertion('The assertion must be a compact JWS of three base64url parts.');
  }
  return {
    kid: kidIn(objectIn(header, 'header')),
    claims: claimsIn(objectIn(payload, 'payload')),
    signed: Buffer.from(text.slice(0, text.lastIndexOf('.'))),
    signature,
  };
}

function kidIn(header: Record<string, unknown>): string {
  const { alg, typ, kid } = header;
  if (alg !== 'EdDSA') throw invalidAssertion('The header’s alg must be EdDSA.');
  if (typ !== 'agent-assertion+jwt') throw invalidAssertion('The header’s typ must be agent-assertion+jwt.');
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid)) {
    throw invalidAssertion('The header’s kid must be the registered one.');
  }
  if (Object.keys(header).some((name) => !HEADER_FIELDS.has(name))) {
    throw invalidAssertion('The header may hold alg, typ and kid only.');
  }
  return kid;
}

function claimsIn({ aud, iat, exp, nbf, jti, iss, sub }: Record<string, unknown>): AssertionClaims {
  // JWT libraries write a single audience either way; two audiences would make the assertion valid elsewhere too.
  const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  if (typeof audience !== 'string') throw invalidAssertion('aud must be one string.');
  if (!isTime(iat) || !isTime(exp)) throw invalidAssertion('iat and exp must be numbers of seconds.');
  if (nbf !== undefined && !isTime(nbf)) throw invalidAssertion('nbf must be a number of seconds.');
  if (exp <= iat) throw invalidAssertion('exp must be later than iat.');
  if (typeof jti !== 'string' || jti === '' || [...jti].length > MAX_JTI || !isReadable(jti)) {
    throw invalidAssertion(`jti must have 1 to ${MAX_JTI} characters.`);
  }
  const named = [iss, sub].filter((name) => name !== undefined);
  const [agentId] = named;
  if (named.some((name) => typeof name !== 'string' || !isIdIn('agent', name) || name !== agentId)) {
    throw invalidAssertion('iss and sub, where present, must be the agent’s id.');
  }
  return {
    aud: audience,
    iat,
    exp,
    ...(nbf === undefined ? {} : { nbf }),
    jti,
    ...(agentId === undefined ? {} : { agentId: agentId as AgentId }),
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Accepts only the canonical, unpadded encoding. */
function decodePart(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function objectIn(bytes: Buffer, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (isPlainObject(value)) return value;
  } catch {
    // Reported below, with the same message as every other value that is not an object.
  }
  throw invalidAssertion(`The ${name} must be one JSON object in UTF-8.`);
}
