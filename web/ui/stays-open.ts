import { createContext, useContext, useLayoutEffect } from 'react';

export const StaysOpenContext = createContext<(isBusy: boolean) => void>(() => undefined);

/** A dialog stays open while its action runs, so that it can show an error. */
export function useStaysOpen(isBusy: boolean): void {
  const setStaysOpen = useContext(StaysOpenContext);
  useLayoutEffect(() => {
    if (!isBusy) return;
    setStaysOpen(true);
    return () => setStaysOpen(false);
  }, [isBusy, setStaysOpen]);
}
