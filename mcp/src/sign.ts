import { agentKeyFromSeed, signChallenge } from '../../sdk/src/index.ts';
import { type CredentialStore } from '../../sdk/src/node/credentials.ts';

/** Signs a challenge that the portal shows, with the stored key. */
export function sign(store: CredentialStore, challenge: string): string {
  const { private_key: seed } = store.read();
  if (!seed) throw new Error('there is no key yet: run svc-mcp init');
  return signChallenge(agentKeyFromSeed(Buffer.from(seed, 'base64url')), challenge);
}
