import { type Target } from './delivery-attempts';
import { type Answered } from './send-window';

/** One sending. It says what came back as soon as it knows, and ends when that is recorded. */
export type Job = (target: Target, answered: (how: Answered) => void) => Promise<void>;

/** Where one endpoint's messages come from. */
export type Source = Readonly<{
  /** It has little at hand, and may hold more. */
  mayReadOn: boolean;
  /** Reads on; true when there is more to read after that. */
  read(): Promise<boolean>;
  take(): Job | undefined;
  /** Resolves when all that was sent is recorded, or given up. */
  settled(): Promise<void>;
}>;
