import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type WebhookRewindEvent, type WebhookRewindRequested } from '../../events/webhook-rewind.events';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

type Request = Readonly<{ kind: 'request'; requested: WebhookRewindRequested['data'] }>;
type Cancel = Readonly<{ kind: 'cancel'; endpointId: EndpointId; merchantId: MerchantId; at: string }>;

export type WebhookRewindCommand = Request | Cancel;

type KnownRewind = Readonly<{ requested: WebhookRewindRequested['data']; cancelled: boolean }>;
export type WebhookRewindState = KnownRewind | null;

/** Sends earlier messages again, unchanged. Its progress is recorded with the endpoint's outcomes. */
export const webhookRewind: Decider<WebhookRewindState, WebhookRewindCommand, WebhookRewindEvent> = {
  category: 'webhook_rewind',
  initial: null,

  decide(command, state) {
    if (command.kind === 'request') {
      return state === null ? [{ type: 'WebhookRewindRequested', data: command.requested }] : [];
    }
    const { rewind_id, endpoint_id, merchant_id } = state?.requested ?? {};
    const isOwn = merchant_id === command.merchantId && endpoint_id === command.endpointId;
    if (rewind_id === undefined || !isOwn) throw refuse('resource_not_found');
    if (state?.cancelled) return [];
    const data = { rewind_id, endpoint_id, merchant_id, cancelled_at: command.at };
    return [{ type: 'WebhookRewindCancelled', data }];
  },

  evolve(state, event) {
    if (event.type === 'WebhookRewindRequested') return { requested: event.data, cancelled: false };
    return state && { ...state, cancelled: true };
  },
};
