import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { isUseWorthRecording } from '../../kernel/credential-rules';
import { refuse } from '../../kernel/errors';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type ApiKeyEvent } from '../../events/api-key.events';
import { type ApiKeyId, type MerchantId } from '../../kernel/aggregates';

export type ApiKeyCommand = Readonly<
  | {
      kind: 'create';
      apiKeyId: ApiKeyId;
      merchantId: MerchantId;
      name: string;
      prefix: string;
      tokenHash: string;
      at: string;
      under?: MaybeUnderKey | undefined;
    }
  | { kind: 'use'; apiKeyId: ApiKeyId; at: string }
  | { kind: 'revoke'; apiKeyId: ApiKeyId; merchantId: MerchantId; at: string }
>;

type Made = Readonly<{ merchantId: MerchantId; tokenHash: string; createdAt: string; under: MaybeUnderKey }>;

export type ApiKeyState = Readonly<
  { status: 'unknown' } | (Made & { status: 'active'; usedAt: string | null }) | (Made & { status: 'revoked' })
>;

/** The key a merchant's program uses to act for the merchant on the agent-payment API. */
export const apiKey: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = {
  category: 'api_key',
  initial: { status: 'unknown' },

  decide(command, state) {
    const { apiKeyId: api_key_id, at } = command;
    switch (command.kind) {
      case 'create': {
        if (state.status !== 'unknown') return repeated(state.under, command.under);
        const { merchantId: merchant_id, name, prefix, tokenHash: token_hash } = command;
        const data = { api_key_id, merchant_id, name, prefix, token_hash, created_at: at, ...underKey(command.under) };
        return [{ type: 'ApiKeyCreated', data }];
      }
      case 'use':
        if (state.status !== 'active') throw refuse('invalid_token');
        if (!isUseWorthRecording(state.usedAt, at)) return [];
        return [{ type: 'ApiKeyUsed', data: { api_key_id, merchant_id: state.merchantId, used_at: at } }];
      case 'revoke':
        // Treat another merchant's key as nonexistent.
        if (state.status === 'unknown' || state.merchantId !== command.merchantId) throw refuse('resource_not_found');
        if (state.status === 'revoked') return [];
        return [{ type: 'ApiKeyRevoked', data: { api_key_id, merchant_id: state.merchantId, revoked_at: at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { merchant_id: merchantId, token_hash: tokenHash, created_at: createdAt } = event.data;
        return { status: 'active', merchantId, tokenHash, createdAt, under: underKey(event.data), usedAt: null };
      }
      case 'ApiKeyUsed':
        return state.status === 'active' ? { ...state, usedAt: event.data.used_at } : state;
      case 'ApiKeyRevoked':
        if (state.status !== 'active') return state;
        return { ...made(state), status: 'revoked' };
      default:
        return assertNever(event);
    }
  },
};

const made = ({ merchantId, tokenHash, createdAt, under }: Made): Made => ({ merchantId, tokenHash, createdAt, under });
