import { randomUUID } from 'node:crypto';
import nacl from 'tweetnacl';

/** What an agent keeps to itself (secretKey) and what it registers (publicKey, base64url). */
export type AgentKeyPair = Readonly<{ publicKey: string; secretKey: Uint8Array }>;

export type AssertionParts = Readonly<{
  kid: string;
  /** `{base_url}/v1/agent-auth/token` */
  audience: string;
  /** Sent as iss; it spares the service from looking for the agent by kid. */
  agentId?: string;
  jti?: string;
  now?: Date;
  lifetimeSeconds?: number;
}>;

export function newKeyPair(): AgentKeyPair {
  const { publicKey, secretKey } = nacl.sign.keyPair();
  return { publicKey: base64url(publicKey), secretKey };
}

/** The signature, base64url, over a text's UTF-8 bytes. */
export const signText = ({ secretKey }: AgentKeyPair, text: string): string =>
  base64url(nacl.sign.detached(new Uint8Array(Buffer.from(text)), secretKey));

/** Proof of possession: the challenge is signed exactly as it was received. */
export const signChallenge = signText;

/** A one-time statement of who is asking, to be exchanged for an agent token. */
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
