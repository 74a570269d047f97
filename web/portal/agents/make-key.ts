import { newAgentKey } from '../../../sdk/src/agent-key.ts';
import { base64url } from '../../../sdk/src/bytes.ts';
import { type MerchantClient } from '../../../sdk/src/merchant/client.ts';
import { serviceNow } from '../../live/clock.ts';
import { baseUrl } from '../../live/service.ts';
import { saveFile } from '../shell/save-file.ts';

const SEED_BYTES = 32;
export const YEAR_MS = 365 * 24 * 3_600_000;

/** A unique name that sorts by day. */
export function newKid(): string {
  const random = base64url(crypto.getRandomValues(new Uint8Array(6))).replace(/[-_]/g, '0');
  return `key-${new Date().toISOString().slice(0, 10)}-${random}`;
}

/**
 * Makes a key, proves possession of it, and saves it as the file that agents and the MCP server read. The private key
 * is neither sent nor kept: the library's advice against keys in pages is about keys that stay there.
 */
export async function makeKeyHere(client: MerchantClient, agentId: string): Promise<string> {
  const key = newAgentKey();
  try {
    const kid = newKid();
    // By the service's clock: a key that begins in the future is refused until then.
    const now = serviceNow();
    const validity = { not_before: new Date(now).toISOString(), expires_at: new Date(now + YEAR_MS).toISOString() };
    await client.agents.addKey(agentId, key, { kid, ...validity });
    const private_key = base64url(key.secretKey.subarray(0, SEED_BYTES));
    const name = `${agentId}.json`;
    saveFile(name, JSON.stringify({ url: baseUrl, agent_id: agentId, key_id: kid, private_key }, undefined, 2));
    return name;
  } finally {
    key.secretKey.fill(0);
  }
}
