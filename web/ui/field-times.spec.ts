import { fromField, toField } from './times.ts';

describe('times in a form', () => {
  it.each(['2026-01-31T09:05:00.000Z', '2026-07-01T23:59:00.000Z'])(
    'come back as they were to the minute: %s',
    (at) => {
      expect(toField(at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
      expect(fromField(toField(at))).toBe(at);
    },
  );

  it.each(['', 'tomorrow'])('are nothing if nothing is there: %j', (typed) => {
    expect(fromField(typed)).toBeUndefined();
  });
});
