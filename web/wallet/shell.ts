/** The wallet opens without a network: its shell is cached, but no response of the service ever is. */
export function installShell(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  // Refused for pages served neither over https nor from localhost; the wallet works without it.
  navigator.serviceWorker.register('sw.js', { scope: './' }).catch(() => undefined);
}
