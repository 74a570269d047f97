/**
 * Describes what needs a MongoDB server, named by TEST_MONGODB_URL. Without one the suite says so in a test of its own,
 * and the reporter beside this file repeats it after the summary: not red, but not silently green either.
 */
export function describeWithMongo(name: string, body: (url: string) => void): void {
  const url = process.env['TEST_MONGODB_URL'];
  describe(name, () => {
    if (url) return body(url);
    it(`${name}: no MongoDB server named by TEST_MONGODB_URL`, () => {
      expect(process.env['TEST_MONGODB_URL'] ?? '').toBe('');
    });
  });
}
