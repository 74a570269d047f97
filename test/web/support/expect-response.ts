import { type Page } from 'playwright-core';

/**
 * To be called before the action that causes the responses. The returned function waits until the page has received
 * this many that contain the words, and has painted. Each is read on its way in, because the browser discards a
 * response that the page no longer awaits.
 */
export async function expectResponse(
  page: Page,
  place: RegExp,
  words: string,
  times = 1,
): Promise<() => Promise<void>> {
  let count = 0;
  let resolveAll = (): void => undefined;
  const allReceived = new Promise<void>((resolve) => (resolveAll = resolve));
  await page.route(place, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body });
    if (!body.includes(words)) return;
    // The response still has to reach the page, unless the page has already cancelled it.
    const answer = await route.request().response();
    if (answer === null || (await answer.finished()) !== null) return;
    count += 1;
    if (count === times) resolveAll();
  });
  return async () => {
    await allReceived;
    // Without waiting: a response that the page cancelled on its way in never finishes.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
  };
}
