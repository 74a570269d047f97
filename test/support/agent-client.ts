import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** The key that an agent keeps secret (secretKey) and the one it registers (publicKey, base64url). */
export type AgentKeyPair = Readonly<{ publicKey: string; secretKey: Uint8Array }>;

export type AssertionParts = Readonly<{
  kid: string;
  /** `{base_url}/v1/agent-auth/token` */
  audience: string;
  /** Sent as iss; saves the service from looking up the agent by kid. */
  agentId?: string;
  jti?: string;
  now?: Date;
  lifetimeSeconds?: number;
}>;

export function newKeyPair(): AgentKeyPair {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return {
    publicKey: x,
    secretKey: new Uint8Array(Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url')))),
  };
}

/** The base64url signature of a text's UTF-8 bytes. src/platform/secrets/ed25519.spec.ts covers other libraries. */
export const signText = ({ secretKey }: AgentKeyPair, text: string): string =>
  base64url(sign(null, Buffer.from(text), keyOf(secretKey)));

const keys = new WeakMap<Uint8Array, KeyObject>();

/** The secret key is the seed followed by the public key, as in tweetnacl and the client library. */
function keyOf(secretKey: Uint8Array): KeyObject {
  const known = keys.get(secretKey);
  if (known !== undefined) return known;
  const [d, x] = [base64url(secretKey.subarray(0, 32)), base64url(secretKey.subarray(32))];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
  keys.set(secretKey, key);
  return key;
}

/** Proof of possession: signs the challenge exactly as received. */
export const signChallenge = signText;

/** A one-time statement of the agent's identity, to be exchanged for an agent token. */
export function signAssertion(keyPair: AgentKeyPair, parts: AssertionParts): string {
  const { kid, audience, agentId, jti = randomUUID(), now = new Date(), lifetimeSeconds = 120 } = parts;
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { aud: audience, iat, exp: iat + lifetimeSeconds, jti, ...(agentId ? { iss: agentId } : {}) };
  return signJws(keyPair, { alg: 'EdDSA', typ: 'agent-assertion+jwt', kid }, claims);
}

export function signJws(keyPair: AgentKeyPair, header: object, claims: object): string {
  const signed = [header, claims].map((part) => base64url(Buffer.from(JSON.stringify(part)))).join('.');
  return `${signed}.${signText(keyPair, signed)}`;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
