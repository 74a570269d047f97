import { hasTool } from './bash';

/**
 * Describes a suite that needs programs besides Node. If one is missing, the suite consists of a test that says so, and
 * missing-engines.reporter.js repeats it after the summary.
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
