import { toBuffer } from 'qrcode';
import { z } from 'zod';
import { SvcError } from '../../../sdk/src/index.ts';
import { tool } from '../tool.ts';
import { text } from './fields.ts';

const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;

/** Requests every useful scope, but drops those that the merchant does not allow this agent instead of failing. */
async function withAllowed<T>(
  scopes: readonly string[] | undefined,
  ask: (scopes: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await ask(scopes ?? SCOPES);
  } catch (error) {
    const beyond =
      error instanceof SvcError && error.code === 'scope_not_allowed' ? error.details['scopes'] : undefined;
    const rest = Array.isArray(beyond) ? SCOPES.filter((scope) => !beyond.includes(scope)) : [];
    if (scopes !== undefined || rest.length === 0) throw error;
    return ask(rest);
  }
}

export const connectWallet = tool({
  name: 'connect_wallet',
  title: 'Connect a wallet',
  description:
    'Asks a person to connect their wallet to this agent. With connect_key (the person copies it from their wallet) it claims that key; without it, it starts a pairing and returns a ' +
    'code, a link and a QR image to show to the person. Either way the person must still approve it in their wallet: the result means "waiting for the person", ' +
    'not "connected". Then call connection_status until it says connected. A connection alone pays nothing.',
  input: z.strictObject({
    connect_key: text(200)
      .optional()
      .describe('A Connect Key (svc_ck_…) that the person gave you. Omit it to pair with a code instead.'),
    scopes: z.array(z.enum(SCOPES)).min(1).optional().describe('The scopes to ask for; all useful ones if omitted.'),
  }),
  output: z.object({
    status: z.literal('waiting'),
    method: z.enum(['connect_key', 'pairing']),
    code: z.string().nullable().describe('For the person to type into the wallet.'),
    uri: z.string().nullable().describe('For the person to open or paste in the wallet.'),
    expires_at: z.string(),
    scopes: z.array(z.string()),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ connect_key, scopes }, { wallet }) {
    if (connect_key !== undefined) {
      const { connect_invitation: invitation } = await withAllowed(scopes, (some) => wallet.claim(connect_key, some));
      const { expires_at, requested_scopes } = invitation;
      return {
        structured: {
          status: 'waiting' as const,
          method: 'connect_key' as const,
          code: null,
          uri: null,
          expires_at,
          scopes: [...requested_scopes],
          next: 'Waiting for the person: ask them to approve the connection in their wallet, then call connection_status.',
        },
      };
    }
    const { code, uri, expires_at, requested_scopes } = await withAllowed(scopes, (some) => wallet.pair(some));
    const picture = await toBuffer(uri, { type: 'png', margin: 2, scale: 6 });
    return {
      structured: {
        status: 'waiting' as const,
        method: 'pairing' as const,
        code,
        uri,
        expires_at,
        scopes: [...requested_scopes],
        next:
          'Waiting for the person: show them the code and the QR image, and ask them to enter the code in their wallet under Connections and approve. ' +
          'Then call connection_status.',
      },
      images: [picture.toString('base64')],
    };
  },
});

export const connectionStatus = tool({
  name: 'connection_status',
  title: 'Connection status',
  description:
    'Says whether a wallet is connected: none (call connect_wallet), waiting (for the person to approve), connected, paused (by the person; only they can resume it) or ended, ' +
    'with the reason as an error code, and on whose behalf this agent acts.',
  input: z.strictObject({}),
  output: z.object({
    status: z.enum(['none', 'waiting', 'connected', 'paused', 'ended']),
    reason: z.string().nullable(),
    agent: z.object({ agent_id: z.string(), name: z.string() }).nullable(),
    merchant: z.object({ merchant_id: z.string(), name: z.string(), domain: z.string() }).nullable(),
    scopes: z.array(z.string()),
    connection_id: z.string().nullable(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run(_args, { wallet }) {
    const { status, reason, current } = await wallet.status();
    return {
      structured: {
        status,
        reason,
        agent: current && { agent_id: current.agent.agent_id, name: current.agent.name },
        merchant: current && {
          merchant_id: current.merchant.merchant_id,
          name: current.merchant.name,
          domain: current.merchant.domain,
        },
        scopes: [...(current?.scopes ?? [])],
        connection_id: current?.connection.connection_id ?? null,
      },
    };
  },
});
