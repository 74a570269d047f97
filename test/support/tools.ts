import { hasTool } from './bash';

/**
 * Describes what needs programs beside Node. Where one is missing the suite says so in a test of its own, and the reporter
 * beside this file repeats it after the summary.
 */
export function describeWithTools(name: string, tools: readonly string[], body: () => void): void {
  const missing = tools.find((tool) => !hasTool(tool));
  describe(name, () => {
    if (missing === undefined) return body();
    it(`${name}: no ${missing} on this machine`, () => {
      expect(hasTool(missing)).toBe(false);
    });
  });
}
