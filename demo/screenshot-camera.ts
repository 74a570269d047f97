import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Page } from 'playwright-core';

type Size = Readonly<{ width: number; height: number }>;

const SIZES: Readonly<Record<'wide' | 'narrow', Size>> = {
  wide: { width: 1280, height: 860 },
  narrow: { width: 390, height: 844 },
};

/** Toasts about earlier steps do not belong in a picture. */
const WITHOUT_TOASTS = `for (const one of document.querySelectorAll('[data-react-aria-top-layer] p')) one.style.visibility = 'hidden'`;

export type SnapOptions = Readonly<{
  /** The width in which the README shows it; without one it is taken only with `isAll`. */
  readme?: keyof typeof SIZES;
}>;

/** Takes the README's pictures, or with `isAll` all pictures, full-page, in both widths and colour schemes. */
export class Camera {
  constructor(
    private readonly directory: string,
    private readonly isAll: boolean,
  ) {
    mkdirSync(directory, { recursive: true });
  }

  /** Whether this picture is wanted at all: navigating to it may take a while. */
  wants({ readme }: SnapOptions): boolean {
    return this.isAll || readme !== undefined;
  }

  async snap(page: Page, name: string, options: SnapOptions = {}): Promise<void> {
    if (!this.wants(options)) return;
    const { readme } = options;
    const widths = this.isAll ? (['wide', 'narrow'] as const) : readme === undefined ? [] : [readme];
    for (const width of widths) {
      await page.setViewportSize(SIZES[width]);
      for (const colorScheme of this.isAll ? (['light', 'dark'] as const) : (['light'] as const)) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Wait for pending responses and fonts.
        await page.waitForTimeout(this.isAll ? 150 : 600);
        await page.evaluate('window.scrollTo(0, 0)');
        if (!this.isAll) await page.evaluate(WITHOUT_TOASTS);
        const file = this.isAll ? `${name}-${width}-${colorScheme}.png` : `${name}.png`;
        await page.screenshot({ path: join(this.directory, file), fullPage: this.isAll });
      }
    }
    await page.setViewportSize(SIZES.wide);
  }
}
