import { useState } from 'react';

/** Something a button does: once at a time, with what went wrong kept for showing. */
export function useAction<Args extends readonly unknown[]>(work: (...args: Args) => Promise<unknown>) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const run = async (...args: Args): Promise<void> => {
    if (isPending) return;
    setPending(true);
    setError(undefined);
    try {
      await work(...args);
    } catch (caught) {
      setError(caught);
    } finally {
      setPending(false);
    }
  };
  return { run, isPending, error, clear: () => setError(undefined) };
}
