import { errorCatalogue } from '../src/kernel/error-catalogue';

/** Verbs that begin the sentence about what to do next. */
const DO = new Set(
  (
    'Add Answer Ask Check Choose Connect Copy Create Fix Flatten GET Get Give Leave Make Name Publish Read Refresh Register Remove Repeat Report ' +
    'Request Send Set Shorten Sign Start Submit Treat Type Use Verify Wait Write'
  ).split(' '),
);

const firstWord = (text: string): string => /^\w+/.exec(text)?.[0] ?? '';

describe('the catalogue', () => {
  it.each(Object.entries(errorCatalogue))(
    '%s says what happened and what to do next',
    (_code, { meaning, recovery }) => {
      expect(meaning).toMatch(/^[A-Z].{10,}\.$/);
      expect(recovery).toMatch(/^.{15,}\.$/);
      expect([recovery, DO.has(firstWord(recovery))]).toEqual([recovery, true]);
    },
  );
});
