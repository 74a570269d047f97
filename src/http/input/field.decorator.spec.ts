import { validateSync } from 'class-validator';
import { list, text } from './checks';
import { Field, fieldProblems, FieldRule, OptionalField } from './field.decorator';
import { InputPipe } from './input.pipe';

class Named {
  @Field(text({ max: 5 }))
  name?: unknown;

  @OptionalField(text({ max: 5 }))
  note?: unknown;
}

class NamedTwice extends Named {
  @FieldRule('another', (value, input) =>
    value === (input as Named).name ? [{ code: 'taken', message: 'is taken' }] : [],
  )
  @Field(text({ max: 5 }))
  alias?: unknown;
}

const problemsOf = (type: new () => object, values: object) => fieldProblems(type, Object.assign(new type(), values));

describe('the fields of an input', () => {
  it.each([[{ name: 'Ann' }], [{ name: 'Ann', note: 'hello' }]])('pass their checks: %j', (values) => {
    expect(problemsOf(Named, values)).toEqual([]);
  });

  it('report everything that is wrong, each at its field', () => {
    expect(problemsOf(Named, { name: 7, note: '' })).toEqual([
      ['name', { code: 'wrong_type', message: 'must be a string' }],
      ['note', { code: 'too_short', message: 'must not be empty' }],
    ]);
    expect(problemsOf(Named, {})).toEqual([['name', expect.objectContaining({ code: 'required' })]]);
  });

  it('count one entry as one', () => {
    const few = list(text({ max: 5 }), 2, 1);
    const messages = [few.problems([]), few.problems(['a', 'b', 'c'])].flat().map(({ message }) => message);
    expect(messages).toEqual(['needs at least one entry', 'must have at most 2 entries']);
  });

  it('have rules that look at the others, beside those of the class they come from', () => {
    const pipe = new InputPipe();
    const read = (given: object): unknown => pipe.transform(given, { type: 'body', metatype: NamedTwice });
    expect(read({ name: 'Ann', alias: 'Bea' })).toEqual({ name: 'Ann', alias: 'Bea' });
    expect(() => read({ name: 'Ann', note: '', alias: 'Ann' })).toThrow(
      expect.objectContaining({
        issues: [
          { code: 'too_short', field: 'note', message: 'must not be empty' },
          { code: 'taken', field: 'alias', message: 'is taken' },
        ],
      }) as Error,
    );
    expect(problemsOf(Named, { name: 'Ann', alias: 'Ann' })).toEqual([]);
  });

  it('are declared to class-validator, which says the same', () => {
    const given = Object.assign(new NamedTwice(), { name: 'Ann', note: '', alias: 'Ann' });
    const told = validateSync(given).map(({ property, constraints }) => [property, Object.values(constraints ?? {})]);
    expect(Object.fromEntries(told)).toEqual({ note: ['must not be empty'], alias: ['is taken'] });
  });

  it('cannot have a rule without a check', () => {
    expect(() => FieldRule('alone', () => [])({ constructor: class {} }, 'field')).toThrow('declare the field first');
  });
});
