import { type Page } from 'playwright-core';
import { eventually } from '../../support/eventually';

type Stop = Readonly<{ name: string; isVisible: boolean; isInDialog: boolean; isInSight: boolean }>;

/** The focused element by its accessible name, and whether the focus is visible. */
const STOP = `(() => {
  const one = document.activeElement;
  // At the start of a page nothing is marked, because there is nothing to press.
  if (!one || one === document.body || one.id === 'main') return { name: '', isVisible: true, isInDialog: false, isInSight: true };
  const label = one.getAttribute('aria-label') || one.labels?.[0]?.textContent || one.textContent || one.tagName;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { left, top, width, height } = one.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return {
    name: label.trim(),
    isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5,
    isInDialog: one.closest('[role="dialog"], [role="alertdialog"]') !== null,
    // Within the viewport and not covered.
    isInSight: seen !== null && (one.contains(seen) || seen.contains(one)),
  };
})()`;

/** A person without a mouse. The focus must be visible at every stop. */
export class Keyboard {
  /** Stops without a visible focus. */
  readonly lost: string[] = [];

  constructor(readonly page: Page) {}

  focused = (): Promise<Stop> => this.page.evaluate<Stop>(STOP);

  /** Presses Tab until there. A string must be the whole accessible name. */
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

  /** Expects the page itself to have moved the focus there. */
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

  /** Tabs round once: everything behind the dialog must be unreachable. */
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
