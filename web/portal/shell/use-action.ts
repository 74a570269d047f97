import { useState } from 'react';

/** A button's action: one run at a time, keeping the error for display. */
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
