import { type Page } from 'playwright-core';

/**
 * Listens for the page being told this, so many times. The answers are read on their way in, because the browser keeps
 * nothing of one that the page no longer waits for; this resolves once the page has the last of them, and has drawn.
 */
export async function listenFor(page: Page, place: RegExp, words: string, times = 1): Promise<() => Promise<void>> {
  let heard = 0;
  let tell = (): void => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  await page.route(place, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body });
    if (!body.includes(words)) return;
    // What was handed to the browser has yet to reach the page, unless that has begun to read anew.
    const answer = await route.request().response();
    if (answer === null || (await answer.finished()) !== null) return;
    heard += 1;
    if (heard === times) tell();
  });
  return async () => {
    await told;
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
  };
}
