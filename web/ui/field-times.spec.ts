import { fromField, fromFieldOf, toField } from './field-times.ts';

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

  it('keep their seconds unless they are changed', () => {
    const at = '2026-01-31T09:05:59.999Z';
    expect(fromFieldOf(at, toField(at))).toBe(at);
    expect(fromFieldOf(at, toField('2026-01-31T09:06:00.000Z'))).toBe('2026-01-31T09:06:00.000Z');
    expect(fromFieldOf(at, '')).toBeUndefined();
    expect(fromFieldOf(undefined, toField(at))).toBe('2026-01-31T09:05:00.000Z');
  });
});
