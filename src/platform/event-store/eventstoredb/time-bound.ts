import { RunningTimeout } from '../../../kernel/running-timeout';
import { NodeAbandoned, TimedOut } from './errors';

/** Timeout for every wait on the engine. The driver's own deadlines do not end an append on a frozen server. */
export const TIME_BOUND_MS = 5000;

/** Rejects after the bound, or when the node is abandoned. Later failures of the work are ignored. */
export async function bounded<T>(work: (givenUp: AbortSignal) => Promise<T>, lost?: AbortSignal): Promise<T> {
  const givingUp = new AbortController();
  let timer: RunningTimeout | undefined;
  let leave = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = (reason: Error): void => {
      givingUp.abort();
      reject(reason);
    };
    timer = new RunningTimeout(() => giveUp(new TimedOut()), TIME_BOUND_MS);
    leave = () => giveUp(new NodeAbandoned());
  });
  if (lost?.aborted) leave();
  lost?.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work(givingUp.signal), late]);
  } finally {
    timer?.clear();
    lost?.removeEventListener('abort', leave);
  }
}
