import { type Target } from './delivery-attempts';
import { type Answered } from './send-window';

/** Sends one message. It reports the result as soon as there is one, and ends when that is recorded. */
export type Job = (target: Target, answered: (how: Answered) => void) => Promise<void>;

/** Where one endpoint's messages come from. */
export type Source = Readonly<{
  /** Few messages are ready, and there may be more. */
  mayReadOn: boolean;
  /** Reads the next page; true if there is more to read after that. */
  read(): Promise<boolean>;
  take(): Job | undefined;
  /** Resolves when everything sent is recorded, or given up. */
  settled(): Promise<void>;
}>;
