import { existsSync, readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM_PATHS = [
  process.env['CHROMIUM_PATH'] ?? '',
  // The same engine without windows: a quarter less processor time for each suite.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const isRequired = process.env['REQUIRE_ENGINES'] === 'true' || Boolean(process.env['CI']);

export const chromiumPath = (): string | undefined => CHROMIUM_PATHS.find((place) => place !== '' && existsSync(place));

/**
 * Describes a suite that needs a browser. Without one the suite consists of a test that says so, which the reporter
 * repeats after the summary, and which fails if the engines are required.
 */
export function describeInBrowser(
  name: string,
  body: (browser: () => Browser) => void,
  { args = [] }: Readonly<{ args?: readonly string[] }> = {},
): void {
  const executablePath = chromiumPath();
  describe(name, () => {
    if (executablePath === undefined) {
      it(`${name}: no chromium on this machine`, () => {
        expect(isRequired).toBe(false);
      });
      return;
    }
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          '--no-first-run',
          ...args,
        ],
      });
    });
    afterAll(async () => browser?.close());
    body(() => {
      if (browser === undefined) throw new Error('the browser is started before the first test');
      return browser;
    });
  });
}

/** A screen of 1280 px at a zoom of 400 %. */
export const ZOOMED = { width: 320, height: 640 };
export const NARROW = { width: 360, height: 740 };
export const WIDE = { width: 1600, height: 1000 };

export type Visit = Readonly<{
  page: Page;
  /** What no page may do: violate its content policy, throw, or call another server than the service. */
  complaints: () => readonly string[];
}>;

/** A new visitor with an empty browser profile. */
export async function visit(
  browser: Browser,
  origins: readonly string[],
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', ...options });
  context.setDefaultTimeout(15_000);
  return watched(await context.newPage(), origins);
}

/** Ends a visit whose calls the test answers: a call in flight would get no answer any more. */
export async function leave(page: Page): Promise<void> {
  const context = page.context();
  for (const one of context.pages()) await one.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

/** Records a page's complaints from before it loads anything. */
export async function watched(page: Page, origins: readonly string[]): Promise<Visit> {
  const complaints: string[] = [];
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
       console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI));`,
  );
  page.on('console', (message) => {
    // The page itself shows a refused call to the person; the browser logs it as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && !origins.includes(origin)) complaints.push(`asked elsewhere: ${origin}`);
  });
  return { page, complaints: () => complaints };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

type Finding = Readonly<{ id: string; nodes: readonly Readonly<{ target: unknown; failureSummary?: string }>[] }>;

/** Finishes transitions; endless animations cannot be finished and throw. */
const FINISH_TRANSITIONS = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  for (const one of document.getAnimations()) { try { one.finish(); } catch { one.cancel(); } }
  done();
})))`;

/** What axe finds wrong with the page as it is now, each as a line; `colours` alone where all else was looked at before. */
export async function findingsOn(
  page: Page,
  what: 'everything' | 'colours' = 'everything',
): Promise<readonly string[]> {
  // Colours in mid-transition would be judged as they are.
  await page.evaluate(FINISH_TRANSITIONS);
  // Injected through the debugger, because the content policy forbids script elements; once per document.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const only = what === 'colours' ? ', runOnly: ["color-contrast"]' : '';
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    `axe.run(document, { resultTypes: ["violations"]${only} })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ''}`),
  );
}

/** Resolves when nothing on the page is loading. */
export const loaded = (page: Page): Promise<void> =>
  page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });

/** Whether nothing overflows to the right. */
export const fitsWidth = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
