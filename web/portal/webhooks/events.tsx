import { Muted } from '../../ui/Layout.tsx';
import { eventWords } from '../shell/status-labels.ts';
import { EVENT_TYPES } from './event-types.ts';

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
