import { Command } from '@nestjs/cqrs';
import { type ApiKeyEvent } from '../events/api-key.events';
import { type ApiKeyId, type MerchantId } from '../kernel/aggregates';
import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';
import { type CommandContext } from '../platform/event-store/event-codec';

export type ActiveApiKey = Readonly<{ merchantId: MerchantId; tokenHash: string; usedAt: string | null }>;

/** A project key, until it is revoked. */
export const apiKeyInUse: Fold<ActiveApiKey | undefined, ApiKeyEvent> = {
  category: 'api_key',
  initial: undefined,

  evolve(state, event) {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { merchant_id: merchantId, token_hash: tokenHash } = event.data;
        return { merchantId, tokenHash, usedAt: null };
      }
      case 'ApiKeyUsed':
        return state && { ...state, usedAt: event.data.used_at };
      case 'ApiKeyRevoked':
        return undefined;
      default:
        return notFollowed(event, state);
    }
  },
};

/** Handled by the api-keys capability. */
export class NoteApiKeyUse extends Command<void> {
  constructor(
    readonly apiKeyId: ApiKeyId,
    readonly at: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}
