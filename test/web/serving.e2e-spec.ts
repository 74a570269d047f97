import { call } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { describeInBrowser, findingsOn, fitsWidth, leave, NARROW, visit } from './support/browser';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the pages, as they are served', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ env: { WALLET_HORIZON: 'https://horizon.example/a&b' } });
  });
  afterAll(() => service.stopAndForget());

  it('lists its addresses for programs, and serves browsers a page', async () => {
    const { body, headers } = await call(`${service.url}/`);
    expect(body).toEqual({
      ok: true,
      service: 'svc',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      docs: 'http://svc.test/docs',
      openapi: 'http://svc.test/openapi.json',
    });
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    const page = await call(`${service.url}/`, { headers: HTML });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('vary')).toBe('Accept, Accept-Encoding');
    for (const place of ['./portal/', './wallet/', './docs']) expect(page.text).toContain(`href="${place}"`);
  });

  it.each(['/portal/', '/wallet/'])(
    'serves %s with revalidation, under a content policy that names every source',
    async (path) => {
      const { status, headers, text } = await call(service.url + path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|data:|blob:/);
      expect(/connect-src ([^;]+)/.exec(policy)?.[1]).toBe(
        path === '/wallet/' ? "'self' https://horizon.example" : "'self'",
      );
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
      const etag = headers.get('etag') ?? '';
      // Proxies that compress mark it as weak, and caches list all that they have.
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await call(service.url + path, { headers: { 'if-none-match': known } });
        expect([known, again.status, again.text]).toEqual([known, 304, '']);
      }
      expect((await call(service.url + path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  it('tells the wallet which network server to use', async () => {
    const { text } = await call(`${service.url}/wallet/`);
    expect(text).toContain('<meta name="wallet-horizon" content="https://horizon.example/a&amp;b" />');
    expect((await call(`${service.url}/portal/`)).text).not.toContain('horizon.example');
  });

  it('tells the portal which networks have a witness, but not which one', async () => {
    const witnessed = async ({ url }: TestService): Promise<string | undefined> =>
      /name="witnessed-networks" content="([^"]*)"/.exec((await call(`${url}/portal/`)).text)?.[1];
    expect(await witnessed(service)).toBe('');
    const env = { SETTLEMENT_WITNESS: 'stellar_testnet=https://horizon.example' };
    const looking = await startTestService({ env });
    expect(await witnessed(looking)).toBe('stellar_testnet');
    await looking.stopAndForget();
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('serves immutable assets, to a client that accepts %s as %s', async (accepted, encoding) => {
    const { text } = await call(`${service.url}/portal/`);
    const assets = [...text.matchAll(/(?:src|href)="\.\.(\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset);
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      const {
        status,
        headers,
        text: content,
      } = await call(service.url + asset, { headers: { 'accept-encoding': accepted } });
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
      expect(content.length).toBeGreaterThan(100);
    }
  });

  it('redirects /portal and /wallet to their page, whatever precedes them', async () => {
    for (const name of ['portal', 'wallet']) {
      const { status, headers } = await call(`${service.url}/${name}`);
      expect([status, headers.get('location')]).toEqual([308, `${name}/`]);
    }
  });

  it.each([
    '/portal/index.html',
    '/portal/x',
    '/assets/',
    '/assets/..%2fportal/index.html',
    '/assets/nothing.js',
    '/start/',
  ])('serves nothing at %s', async (path) => {
    const { status, body } = await call(service.url + path);
    expect([status, body.error.code]).toEqual([404, 'resource_not_found']);
  });

  it('accepts only reading methods', async () => {
    expect((await call(`${service.url}/portal/`, { method: 'HEAD' })).status).toBe(200);
    const asset = /"\.\.(\/assets\/[^"]+)"/.exec((await call(`${service.url}/portal/`)).text)?.[1] ?? '';
    expect(asset).not.toBe('');
    const pages = ['/', '/portal', '/portal/', '/wallet', '/wallet/', '/docs', '/docs/', '/docs/index.html'];
    const files = [asset, '/wallet/sw.js', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js'];
    for (const path of [...pages, ...files])
      for (const request of [{ method: 'POST', body: {} }, { method: 'DELETE' }, { method: 'OPTIONS' }]) {
        const { status, headers, body } = await call(service.url + path, request);
        expect([path, status, headers.get('allow'), body.error.code]).toEqual([
          path,
          405,
          'GET, HEAD',
          'method_not_allowed',
        ]);
      }
    for (const path of ['/portal/x', '/assets/x.js', '/docs/x', '/docs/LICENSE'])
      expect((await call(service.url + path, { method: 'POST', body: {} })).status).toBe(404);
  });
});

it('serves no pages with WEB=off', async () => {
  const service = await startTestService({ env: { WEB: 'off' } });
  for (const path of ['/portal/', '/wallet/', '/portal']) expect((await call(service.url + path)).status).toBe(404);
  expect((await call(`${service.url}/`, { headers: HTML })).body['service']).toBe('svc');
  await service.stopAndForget();
});

describeInBrowser('the start page', (browser) => {
  it('leads to both applications and keeps its policy', async () => {
    const service = await startTestService();
    const { page, complaints } = await visit(browser(), [service.url], { viewport: NARROW });
    await page.goto(`${service.url}/`);
    await page.getByRole('link', { name: 'Wallet' }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    await page.getByRole('link', { name: 'Merchant portal' }).click();
    await page.waitForURL(`${service.url}/portal/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
    await service.stopAndForget();
  });
});
