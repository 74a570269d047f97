import { type WebhookEventType } from '../../../sdk/src/types/webhook.ts';
import { Muted } from '../../ui/Layout.tsx';
import { eventWords } from '../shell/status-labels.ts';

const STEPS = ['created', 'signed', 'broadcasted', 'confirmed', 'failed', 'expired', 'rejected'] as const;

export const EVENT_TYPES: readonly WebhookEventType[] = [
  ...STEPS.map((step) => `payment_request.${step}` as const),
  ...STEPS.map((step) => `agent_payment.${step}` as const),
  ...(['created', 'paused', 'resumed', 'revoked'] as const).map((step) => `connection.${step}` as const),
];

/** The event types known here, and any others that an endpoint has. */
export const eventChoices = (also: readonly string[] = []) =>
  [...new Set<string>([...EVENT_TYPES, ...also])].map((type) => ({
    value: type,
    label: (
      <>
        {eventWords(type)} <Muted>({type})</Muted>
      </>
    ),
  }));
