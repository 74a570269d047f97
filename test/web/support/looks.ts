import { type Page } from 'playwright-core';
import { findingsOn, fitsWidth, NARROW, WIDE } from './browser';

/** What is wrong with the page now, on narrow and wide screens, light and dark; empty if nothing is. */
export async function flaws(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize() ?? WIDE;
  const found: string[] = [];
  await page.bringToFront();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The colour schemes differ only in colours.
    const findings = await findingsOn(page, colorScheme === 'light' ? 'everything' : 'colours');
    found.push(...findings.map((finding) => `${colorScheme}: ${finding}`));
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    if (!(await fitsWidth(page))) found.push(`sticks out at ${size.width} px`);
  }
  await page.setViewportSize(before);
  return found;
}
