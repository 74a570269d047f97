import { NetworkServer } from './network-server.ts';
it.each([400, 200, 503])('takes JSON null with HTTP %i as no readable answer', async (status) => {
  const fetch = async () => new Response('null', { status });
  const server = new NetworkServer({ url: 'http://x', fetch: fetch as typeof globalThis.fetch });
  await expect(server.submit('XDR', 'h')).resolves.toHaveProperty('kind');
});
it('takes a 400 that is not the network’s own as no answer', async () => {
  const fetch = async () => new Response('{"message":"blocked by proxy"}', { status: 400 });
  const server = new NetworkServer({ url: 'http://x', fetch: fetch as typeof globalThis.fetch });
  await expect(server.submit('XDR', 'h')).resolves.toMatchObject({ kind: 'unknown' });
});
