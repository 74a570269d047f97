/** The wallet opens without a network: its shell is kept, never an answer of the service. */
export function installShell(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  // Refused where the page is not from https or from this machine; the wallet works without it.
  navigator.serviceWorker.register('sw.js', { scope: './' }).catch(() => undefined);
}
