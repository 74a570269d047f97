import { useSyncExternalStore } from 'react';

/** The token of the mailed link, once it is removed from the address bar. Kept nowhere else. */
let token: string | undefined;
const listeners = new Set<() => void>();

export function takeTokenOutOfAddress(): void {
  const [, query] = /^#\/verify\?(.*)$/s.exec(window.location.hash) ?? [];
  if (query === undefined) return;
  token = new URLSearchParams(query).get('token') ?? '';
  window.history.replaceState(null, '', '#/verify');
  for (const listener of listeners) listener();
}

// The link may be opened in a tab that already shows the portal.
window.addEventListener('hashchange', takeTokenOutOfAddress);

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLinkToken = (): string | undefined => useSyncExternalStore(listen, () => token);
