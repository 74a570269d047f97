import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useStaysOpen } from '../ui/stays-open.ts';

/** An action that changes data at the service; afterwards every query refetches. */
export function useAct() {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  useStaysOpen(isPending);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setPending(true);
    setError(undefined);
    await work().catch(setError);
    await queries.invalidateQueries();
    setPending(false);
  };
  return { act, error, isPending };
}
