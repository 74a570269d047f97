import { createContext, useContext, useLayoutEffect } from 'react';

export const StaysOpenContext = createContext<(isBusy: boolean) => void>(() => undefined);

/** While something is carried out in a dialog, the dialog stays: it shows what went wrong. */
export function useStaysOpen(isBusy: boolean): void {
  const tell = useContext(StaysOpenContext);
  useLayoutEffect(() => {
    if (!isBusy) return;
    tell(true);
    return () => tell(false);
  }, [isBusy, tell]);
}
