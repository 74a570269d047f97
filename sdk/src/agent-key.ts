import nacl from 'tweetnacl';
import { base64url, utf8 } from './bytes.ts';

/** What an agent keeps private (`secretKey`) and what its merchant registers (`publicKey`, base64url). */
export type AgentKeyPair = Readonly<{ publicKey: string; secretKey: Uint8Array }>;

/** Signs bytes with Ed25519. A function, so that the key may stay in a vault or a security module. */
export type Sign = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The registered key an agent authenticates with. */
export type AgentCredential = Readonly<{
  /** As registered. */
  kid: string;
  /** Sent as `iss`: another agent's key may have the same kid. */
  agentId: string;
}> &
  (Readonly<{ secretKey: Uint8Array }> | Readonly<{ sign: Sign }>);

export function newAgentKey(): AgentKeyPair {
  const { publicKey, secretKey } = nacl.sign.keyPair();
  return { publicKey: base64url(publicKey), secretKey };
}

/** The key pair for a stored 32-byte seed. */
export function agentKeyFromSeed(seed: Uint8Array): AgentKeyPair {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
  return { publicKey: base64url(publicKey), secretKey };
}

const signWith = ({ secretKey }: Pick<AgentKeyPair, 'secretKey'>): Sign => {
  const key = new Uint8Array(secretKey);
  return (bytes) => nacl.sign.detached(bytes, key);
};

/** Proof of possession: the signature, base64url, over the challenge exactly as received. */
export const signChallenge = (key: Pick<AgentKeyPair, 'secretKey'>, challenge: string): string =>
  base64url(signWith(key)(utf8(challenge)) as Uint8Array);

export type AssertionParts = Readonly<{
  /** `{base_url}/v1/agent-auth/token`, with the base URL the service itself uses. */
  audience: string;
  now?: Date;
  /** At most 300. */
  lifetimeSeconds?: number;
  jti?: string;
}>;

/** A one-time statement of who is calling, to be exchanged for an agent token. */
export async function signAssertion(credential: AgentCredential, parts: AssertionParts): Promise<string> {
  const { audience, now = new Date(), lifetimeSeconds = 120, jti = globalThis.crypto.randomUUID() } = parts;
  const iat = Math.floor(now.getTime() / 1000);
  const { kid, agentId } = credential;
  const header = { alg: 'EdDSA', typ: 'agent-assertion+jwt', kid };
  const claims = { aud: audience, iat, exp: iat + lifetimeSeconds, jti, iss: agentId };
  const text = [header, claims].map((part) => base64url(utf8(JSON.stringify(part)))).join('.');
  const sign = 'sign' in credential ? credential.sign : signWith(credential);
  return `${text}.${base64url(await sign(utf8(text)))}`;
}
