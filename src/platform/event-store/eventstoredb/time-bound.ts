import { OutOfTime } from './errors';

/** How long the engine may keep us waiting. The driver's own deadlines do not end an append on a frozen server. */
export const TIME_BOUND_MS = 5000;

/** Gives up after the bound. What the work still does then is nobody's: a late failure goes unheard. */
export async function bounded<T>(work: (givenUp: AbortSignal) => Promise<T>): Promise<T> {
  const givingUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      givingUp.abort();
      reject(new OutOfTime());
    }, TIME_BOUND_MS);
  });
  try {
    return await Promise.race([work(givingUp.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
