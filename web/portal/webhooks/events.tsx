import { Muted } from '../../ui/Layout.tsx';
import { eventWords } from '../shell/status-labels.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../sdk/src/webhook-event-types.ts';

/** The event types known here, and any others that an endpoint has. */
export const eventChoices = (also: readonly string[] = []) =>
  [...new Set<string>([...WEBHOOK_EVENT_TYPES, ...also])].map((type) => ({
    value: type,
    label: (
      <>
        {eventWords(type)} <Muted>({type})</Muted>
      </>
    ),
  }));
