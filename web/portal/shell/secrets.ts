import { useSyncExternalStore } from 'react';

export type Secret = Readonly<{
  title: string;
  secret: string;
  /** What it is for. */
  use: string;
  onKept?: () => void;
}>;

/** In memory only, but outside the page that created it: otherwise going back would lose the secret. */
let secrets: readonly Secret[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly Secret[]): void => {
  secrets = next;
  for (const listener of listeners) listener();
};

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Shows a secret that exists nowhere else, until the person confirms that they saved it. */
export const showOnce = (secret: Secret): void => set([...secrets, secret]);

export function kept(secret: Secret): void {
  set(secrets.filter((one) => one !== secret));
  secret.onKept?.();
}

export const useSecret = (): Secret | undefined => useSyncExternalStore(listen, () => secrets[0]);
