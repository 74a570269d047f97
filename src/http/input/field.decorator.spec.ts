import { ValidateBy } from 'class-validator';
import { text } from './checks';
import { Field, isSound, OptionalField } from './field.decorator';
import { InputPipe } from './input.pipe';
import { StatusReportInput } from './status-report';

class Named {
  @Field(text({ max: 5 }))
  name?: unknown;

  @OptionalField(text({ max: 5 }))
  note?: unknown;
}

class NamedTwice extends Named {
  @ValidateBy({
    name: 'of_another_kind',
    validator: {
      validate: (value) => value !== 'mine',
      defaultMessage: () => '[{"code":"taken","message":"is taken"}]',
    },
  })
  @Field(text({ max: 5 }))
  alias?: unknown;
}

describe('the short way to sound input', () => {
  const sound = (type: new () => object, values: object): boolean => isSound(Object.assign(new type(), values));

  it('is taken when every field passes its check', () => {
    expect(sound(Named, { name: 'Ann' })).toBe(true);
    expect(sound(Named, { name: 'Ann', note: 'hello' })).toBe(true);
  });

  it.each([[{}], [{ name: 7 }], [{ name: 'Ann', note: null }], [{ name: 'too long' }]])(
    'is not taken for %j',
    (values) => {
      expect(sound(Named, values)).toBe(false);
    },
  );

  it('is never taken where rules of another kind have a say, which are asked as before', () => {
    expect(sound(NamedTwice, { name: 'Ann', alias: 'yours' })).toBe(false);
    expect(sound(StatusReportInput, { reason: 'x' })).toBe(false);
    const pipe = new InputPipe();
    const read = (alias: string): unknown =>
      pipe.transform({ name: 'Ann', alias }, { type: 'body', metatype: NamedTwice });
    expect(read('yours')).toEqual({ name: 'Ann', alias: 'yours' });
    expect(() => read('mine')).toThrow(
      expect.objectContaining({ issues: [{ code: 'taken', field: 'alias', message: 'is taken' }] }) as Error,
    );
  });
});
