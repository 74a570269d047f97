import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** Something that changes what the service knows; afterwards every page looks again. */
export function useAct() {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setPending(true);
    setError(undefined);
    await work().catch(setError);
    await queries.invalidateQueries();
    setPending(false);
  };
  return { act, error, isPending };
}
