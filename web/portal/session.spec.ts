const HOUR_MS = 3_600_000;

it('the portal knows the service’s time before it shows its first page', async () => {
  const fetch = async () => {
    const session = { csrf_token: 'c', merchant: { merchant_id: 'mer_1' }, session: { expires_at: '' } };
    const date = new Date(Date.now() + 5 * HOUR_MS).toUTCString();
    return Response.json({ ok: true, ...session }, { headers: { date } });
  };
  Object.assign(globalThis, {
    fetch,
    window: { location: { href: 'http://svc.example/portal/' } },
    BroadcastChannel: class {
      postMessage = (): undefined => undefined;
    },
  });
  const { portalSession } = await import('./session.ts');
  const { serviceNow } = await import('../live/clock.ts');
  await portalSession.read();
  expect(portalSession.state.kind).toBe('signed-in');
  expect(Math.round((serviceNow() - Date.now()) / HOUR_MS)).toBe(5);
});
