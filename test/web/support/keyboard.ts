import { type Page } from 'playwright-core';
import { eventually } from '../../support/eventually';

type Stop = Readonly<{ name: string; isVisible: boolean; isInDialog: boolean; isInSight: boolean }>;

/** What has the focus, as a screen reader calls it, and whether somebody who looks can tell. */
const STOP = `(() => {
  const one = document.activeElement;
  // Where a page begins anew nothing is marked: there is nothing to press.
  if (!one || one === document.body || one.id === 'main') return { name: '', isVisible: true, isInDialog: false, isInSight: true };
  const label = one.getAttribute('aria-label') || one.labels?.[0]?.textContent || one.textContent || one.tagName;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { left, top, width, height } = one.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return {
    name: label.trim(),
    isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5,
    isInDialog: one.closest('[role="dialog"], [role="alertdialog"]') !== null,
    // Not beyond the edge, and nothing over it.
    isInSight: seen !== null && (one.contains(seen) || seen.contains(one)),
  };
})()`;

/** Somebody without a mouse. Every stop on the way must be seen to have the focus. */
export class Keyboard {
  /** Stops at which nobody could tell where the focus is. */
  readonly lost: string[] = [];

  constructor(readonly page: Page) {}

  focused = (): Promise<Stop> => this.page.evaluate<Stop>(STOP);

  /** Tab by tab, until there. A name may go on after what is looked for. */
  async to(name: string | RegExp): Promise<void> {
    const isThere = (stop: Stop): boolean => (typeof name === 'string' ? stop.name === name : name.test(stop.name));
    const passed: string[] = [];
    for (let steps = 0; steps < 80; steps += 1) {
      const stop = await this.focused();
      if (!stop.isVisible) this.lost.push(`${stop.name}: not marked`);
      if (!stop.isInSight) this.lost.push(`${stop.name}: out of sight`);
      if (isThere(stop)) return;
      passed.push(stop.name);
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not lead to ${String(name)}: ${passed.slice(0, 40).join(' | ')}`);
  }

  /** Without a key: the page itself puts the focus there. */
  async rests(name: string): Promise<void> {
    await eventually(this.focused, (stop) => stop.name === name, `focus on ${name}`);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.to(name);
    await this.page.keyboard.press('Enter');
  }

  async type(name: string, text: string): Promise<void> {
    await this.to(name);
    await this.page.keyboard.type(text);
  }

  /** Goes round once: whatever is behind the dialog is out of reach. */
  async isTrapped(): Promise<boolean> {
    const first = await this.focused();
    for (let steps = 0; steps < 40; steps += 1) {
      const { isInDialog, name } = await this.focused();
      if (!isInDialog) return false;
      await this.page.keyboard.press('Tab');
      if (steps > 0 && name === first.name) return true;
    }
    return true;
  }
}
